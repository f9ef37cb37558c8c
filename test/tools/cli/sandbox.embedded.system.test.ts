import { assert, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { vi } from "vitest"
import { startDemoService } from "../../support/first-start.ts"
import { PROCESSES_MS } from "../../support/time-limits.ts"
import { failureMessageOf, fieldOfFailure } from "../../support/tools/cli/command-failures.ts"
import { runLatchkeyInProcess } from "../../support/tools/cli/running-service.ts"

vi.setConfig({ testTimeout: PROCESSES_MS })

const Reservations = Schema.fromJsonString(
  Schema.Struct({
    data: Schema.Struct({ reservations: Schema.Array(Schema.Struct({ guest_name: Schema.NullOr(Schema.String) })) })
  })
)

const Thread = Schema.Struct({ thread_id: Schema.String })
const readThread = Schema.decodeUnknownEffect(Thread)
const readThreads = Schema.decodeUnknownEffect(
  Schema.Struct({
    threads: Schema.Array(
      Schema.Struct({ ...Thread.fields, written: Schema.Array(Schema.Struct({ text: Schema.String })) })
    )
  })
)

const inDays = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)

it.live("latchkey sandbox sells beside a running service, which knows of it at once; and nowhere else", () =>
  Effect.gen(function* () {
    const { baseUrl, token, env } = yield* startDemoService({})
    const command = Effect.fnUntraced(function* (...args: ReadonlyArray<string>) {
      const { code, stdout } = yield* runLatchkeyInProcess(["sandbox", ...args, "--json"], env)
      assert.strictEqual(code, 0, stdout)
      const answer: unknown = JSON.parse(stdout)
      return answer
    })
    yield* command("open", "--channel", "airbnb", "--listing", "300-77", "--price", "120", "--on-request")
    const stay = ["--check-in", inDays(20), "--check-out", inDays(22)]
    const booked = yield* command("book", "--listing", "300-77", ...stay, "--guest", "Ana Reis")
    assert.deepInclude(booked, { status: "wait_accept", heard: "applied", total: 254.4 })
    const answer = yield* Effect.promise(() =>
      fetch(`${baseUrl}/v3/reservations?status=wait_accept&limit=100`, {
        headers: { "service-access-token": token }
      }).then((response) => response.text())
    )
    const { data } = yield* Schema.decodeUnknownEffect(Reservations)(answer)
    assert.lengthOf(
      data.reservations.filter(({ guest_name }) => guest_name === "Ana Reis"),
      1
    )

    const asking = ["--listing", "300-77", "--check-in", inDays(30), "--check-out", inDays(32), "--guest", "Li Wei"]
    const { thread_id } = yield* readThread(yield* command("inquire", ...asking, "--text", "有电梯吗？"))
    assert.deepInclude(yield* command("write", "--thread", thread_id, "--text", "谢谢 🙏"), { guest_name: "Li Wei" })
    // The marketplace counts in seconds: the thread of who booked in this one may come before it.
    const { threads } = yield* readThreads(yield* command("threads", "--limit", "2"))
    assert.lengthOf(threads, 2)
    assert.deepStrictEqual(
      threads
        .filter((each) => each.thread_id === thread_id)
        .map(({ thread_id, written }) => [thread_id, written.map(({ text }) => text)]),
      [[thread_id, ["有电梯吗？", "谢谢 🙏"]]]
    )
    const refused = yield* Effect.all(
      [
        runLatchkeyInProcess(["sandbox", "accept-offer", "none"], env),
        runLatchkeyInProcess(["sandbox", "review", "none", "--score=6", "--text=x"], env)
      ],
      { concurrency: 2 }
    )
    assert.deepStrictEqual(
      refused.map((ended) => fieldOfFailure(failureMessageOf(ended))),
      ["offer_id", "score"]
    )

    const again = yield* runLatchkeyInProcess(["sandbox", "book", "--listing", "300-77", ...stay], env)
    assert.match(failureMessageOf(again), new RegExp(`^listing_id: .*\\b${inDays(20)}\\b`))
    const off = yield* runLatchkeyInProcess(["sandbox", "orders"], { ...env, SANDBOX: "0" })
    assert.match(failureMessageOf(off), /^SANDBOX: .*\bHOST\b.*\bPUBLIC_URL\b/)
  }).pipe(Effect.scoped)
)
