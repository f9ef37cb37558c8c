import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { json } from "node:stream/consumers"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { modelled } from "../../evaluate/agents.ts"
import { evaluated } from "../../evaluate/evaluated.ts"
import { Service } from "../../evaluate/service.ts"
import { TASKS } from "../../evaluate/tasks.ts"
import { FirstStart } from "../support/first-start.ts"

// The evaluation itself: its checks fail where nothing was done, its scripts do everything, and a model is heard out and no longer.

/** A model that says what it is given to say, one after the other, then the last again; and what it was asked. */
const modelOf = (replies: ReadonlyArray<object>) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const asked: Array<{ readonly messages: ReadonlyArray<{ readonly role: string; readonly content: string }> }> = []
      const server = createServer((request, response) => {
        void json(request).then((body) => {
          const message = replies[Math.min(asked.length, replies.length - 1)]
          asked.push(Object(body))
          response.setHeader("content-type", "application/json")
          response.end(JSON.stringify({ choices: [{ message: { role: "assistant", ...message } }] }))
        })
      })
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
      // A server that listens on a port has an address of this kind.
      const { port } = server.address() as AddressInfo
      return { server, asked, model: { url: `http://127.0.0.1:${port}`, name: "test", key: undefined } }
    }),
    ({ server }) => Effect.promise(() => new Promise((resolve) => server.close(resolve)))
  )

const calling = (name: string, args: string) => ({
  content: null,
  tool_calls: [{ id: "1", type: "function", function: { name, arguments: args } }]
})

const heardBy = Effect.fnUntraced(function* (replies: ReadonlyArray<object>) {
  const { baseUrl: base, token } = yield* FirstStart
  const service = new Service(base, token)
  const { model, asked } = yield* modelOf(replies)
  const tools = yield* Effect.promise(() => service.tools())
  const work = yield* Effect.promise(() => modelled(service, model, tools, "Be brief.", "Which flats?"))
  return { work, asked, last: asked.at(-1)?.messages.at(-1) }
})

layer(FirstStart.layer, { excludeTestServices: true })("the evaluation", (it) => {
  it("has thirty tasks, each of its own name", () => {
    assert.lengthOf(new Set(TASKS.map(({ id }) => id)), 30)
  })

  it.effect("counts nothing as done that nobody did", () =>
    Effect.gen(function* () {
      const { baseUrl: base, token } = yield* FirstStart
      const { model } = yield* modelOf([{ content: "I would rather not." }])
      const results = yield* Effect.promise(() => evaluated(base, token, model, () => {}, 1))
      assert.deepStrictEqual(
        results.filter(({ why }) => why === undefined),
        []
      )
    })
  )

  it.effect("tells a model what a tool answers, and what its own call was wrong in", () =>
    Effect.gen(function* () {
      const { work, asked } = yield* heardBy([
        calling("search_properties", '{"limit": 1, "fields": "title"}'),
        calling("search_properties", "{limit"),
        calling("paint_the_house", "{}"),
        { content: "Alfama Terrace." }
      ])
      assert.deepStrictEqual(work, { said: "Alfama Terrace.", calls: 3 })
      const [answer, unread, unknown] = (asked.at(-1)?.messages ?? []).filter(({ role }) => role === "tool")
      assert.include(answer?.content ?? "", "Alfama Terrace")
      assert.match(unread?.content ?? "", /^error: /)
      assert.include(unknown?.content ?? "", "paint_the_house")
    })
  )

  it.effect("says yes twice to who asks, and then no more", () =>
    Effect.gen(function* () {
      const { work, asked } = yield* heardBy([{ content: "Shall I?" }])
      assert.deepStrictEqual([work.said, asked.length], ["Shall I?", 3])
    })
  )

  it.effect("hears twenty answers of a model that goes on and on", () =>
    Effect.gen(function* () {
      const { work, asked } = yield* heardBy([calling("query_tags", "{}")])
      assert.deepStrictEqual([work.said, work.calls, asked.length], ["", 20, 20])
    })
  )
})

layer(FirstStart.layer, { excludeTestServices: true })("the scripts", (it) => {
  it.effect("do all of it, by tools that are listed and arguments that fit what is listed", () =>
    Effect.gen(function* () {
      const { baseUrl: base, token } = yield* FirstStart
      const results = yield* Effect.promise(() => evaluated(base, token, undefined))
      const failed = results.flatMap(({ id, why }) => (why === undefined ? [] : [`${id}: ${why}`]))
      assert.deepStrictEqual(failed, [])
    })
  )
})
