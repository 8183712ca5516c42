"""Calls /v1 by OpenAI's SDK; prints a line for each thing that it tried."""

import openai

client = openai.OpenAI(max_retries=0, timeout=60)
MODEL = "inference/answering"
QUESTION = [{"role": "user", "content": "How many days of leave are there?"}]


def check(title, attempt):
    try:
        outcome = attempt()
    except Exception as failure:  # every failure is reported by its title
        outcome = f"{type(failure).__name__}: {failure}"
    print(f"ok {title}" if outcome is True else f"failed {title}: {outcome!r}")


def models():
    return MODEL in [model.id for model in client.models.list()] or "not listed"


def chat():
    answer = client.chat.completions.create(model=MODEL, messages=QUESTION)
    choice = answer.choices[0]
    return bool(choice.message.content) and choice.finish_reason == "stop" and answer.usage.total_tokens > 0


def streamed():
    options = {"include_usage": True}
    chunks = list(client.chat.completions.create(model=MODEL, messages=QUESTION, stream=True, stream_options=options))
    text = "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)
    return bool(text) and chunks[-1].usage is not None


def responses():
    return bool(client.responses.create(model=MODEL, input="How many days of leave are there?").output_text)


def streamed_responses():
    with client.responses.stream(model=MODEL, input="How many days of leave are there?") as events:
        kinds = [event.type for event in events]
        return kinds[-1] == "response.completed" and "response.output_text.delta" in kinds


def search():
    store = next(iter(client.vector_stores.list()))
    page = client.vector_stores.search(store.id, query="days of leave", max_num_results=1)
    return page.data[0].filename == "leave.md" or page.data[0].filename


def refuses(status, call):
    def attempt():
        try:
            call()
        except openai.APIStatusError as failure:
            return (failure.status_code == status and bool(failure.body)) or failure.status_code
        return "no error"

    return attempt


check("models are listed", models)
check("a chat is answered, with usage", chat)
check("a chat is streamed, usage last", streamed)
check("a response is answered", responses)
check("a response is streamed", streamed_responses)
check("vector stores are searched", search)
check(
    "an unknown model is 404",
    refuses(404, lambda: client.chat.completions.create(model="inference/none", messages=QUESTION)),
)
check(
    "a wrong key is 401",
    refuses(401, lambda: client.with_options(api_key="wrong").models.list()),
)
check(
    "images are 400",
    refuses(
        400,
        lambda: client.chat.completions.create(
            model=MODEL,
            messages=[
                {
                    "role": "user",
                    "content": [{"type": "image_url", "image_url": {"url": "https://example.com/a.png"}}],
                }
            ],
        ),
    ),
)
