"""Writes a tiny llama with random weights: `model.py PATH WINDOW`. Its answers mean nothing."""

import sys

import gguf
import numpy

WIDTH, HEADS, BLOCKS, INNER = 32, 2, 1, 64
END = 2
TEMPLATE = "{% for message in messages %}{{ message.role }}: {{ message.content }}\n{% endfor %}assistant:"


def write(path, window):
    writer = gguf.GGUFWriter(path, "llama")
    random = numpy.random.default_rng(1)
    tokens = [b"<unk>", b"<s>", b"</s>"] + [f"<0x{byte:02X}>".encode() for byte in range(256)]
    kinds = [gguf.TokenType.UNKNOWN, gguf.TokenType.CONTROL, gguf.TokenType.CONTROL]
    kinds += [gguf.TokenType.BYTE] * 256
    words = [b"\xe2\x96\x81" + letter.encode() for letter in "abcdefghijklmnopqrstuvwxyz"]
    tokens += words
    kinds += [gguf.TokenType.NORMAL] * len(words)
    writer.add_name("tiny")
    writer.add_context_length(window)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(BLOCKS)
    writer.add_feed_forward_length(INNER)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(WIDTH // HEADS)
    writer.add_vocab_size(len(tokens))
    writer.add_tokenizer_model("llama")
    writer.add_token_list(tokens)
    writer.add_token_scores([0.0] * len(tokens))
    writer.add_token_types(kinds)
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(END)
    writer.add_unk_token_id(0)
    writer.add_chat_template(TEMPLATE)

    def matrix(name, *shape):
        writer.add_tensor(name, random.normal(0, 0.3, shape).astype(numpy.float32))

    def ones(name):
        writer.add_tensor(name, numpy.ones(WIDTH, dtype=numpy.float32))

    matrix("token_embd.weight", len(tokens), WIDTH)
    # An answer ends by its limit alone: the token of the end has the same middling score always.
    output = random.normal(0, 3, (len(tokens), WIDTH)).astype(numpy.float32)
    output[END] = 0
    writer.add_tensor("output.weight", output)
    ones("output_norm.weight")
    for block in range(BLOCKS):
        ones(f"blk.{block}.attn_norm.weight")
        ones(f"blk.{block}.ffn_norm.weight")
        for part in ("attn_q", "attn_k", "attn_v", "attn_output"):
            matrix(f"blk.{block}.{part}.weight", WIDTH, WIDTH)
        matrix(f"blk.{block}.ffn_gate.weight", INNER, WIDTH)
        matrix(f"blk.{block}.ffn_up.weight", INNER, WIDTH)
        matrix(f"blk.{block}.ffn_down.weight", WIDTH, INNER)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


write(sys.argv[1], int(sys.argv[2]))
