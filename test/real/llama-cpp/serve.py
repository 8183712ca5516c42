"""llama.cpp's own server: `serve.py MODEL PORT WINDOW [embeddings]`."""

import signal
import sys

import xllamacpp

path, port, window, *kind = sys.argv[1:]
params = xllamacpp.CommonParams()
params.model.path = path
params.hostnames = ["127.0.0.1"]
params.model_alias = {"tiny"}
params.port = int(port)
params.n_ctx = int(window)
params.n_parallel = 1
params.endpoint_slots = True
params.cpuparams.n_threads = 1
params.cpuparams_batch.n_threads = 1
params.warmup = False
params.embedding = "embeddings" in kind
if params.embedding:
    params.pooling_type = xllamacpp.llama_pooling_type.LLAMA_POOLING_TYPE_MEAN
server = xllamacpp.Server(params)
print(server.listening_address, flush=True)
signal.pause()
