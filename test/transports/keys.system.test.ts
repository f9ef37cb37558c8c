import { assert, layer } from "@effect/vitest"
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { createOperator } from "../support/harness.ts"
import { BaseUrl, layerHttpServer } from "../support/http-server.ts"

// A key as clients send it: a header of REST, `_meta` of a tool call.

const REPLAYED = "latchkey/idempotent-replayed"

const rest = (token: string, method: string, path: string, key: string | undefined, body?: object) =>
  Effect.flatMap(BaseUrl, (base) =>
    Effect.promise(async () => {
      const response = await fetch(`${base}/v3${path}`, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          "content-type": "application/json",
          ...(key === undefined ? {} : { "Idempotency-Key": key })
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) })
      })
      assert.strictEqual(response.status, 200)
      const { error_code, error_msg, data } = JSON.parse(await response.text())
      return {
        answer: `${error_code} ${error_msg}`.trim(),
        data,
        replayed: response.headers.get("Idempotent-Replayed")
      }
    })
  )

/** One tool call of the SDK's own client. */
const tool = (token: string, name: string, fields: Record<string, unknown>, key?: unknown) =>
  Effect.flatMap(BaseUrl, (base) =>
    Effect.promise(async () => {
      const client = new Client({ name: "test", version: "1" })
      const requestInit = { headers: { authorization: `Bearer ${token}` } }
      await client.connect(new StreamableHTTPClientTransport(new URL(`${base}/mcp`), { requestInit }))
      const meta = key === undefined ? {} : { _meta: { "latchkey/idempotency-key": key } }
      const { content, _meta } = await client.callTool({ name, arguments: fields, ...meta })
      await client.close()
      const [text] = Array.isArray(content) ? content : []
      assert(text?.type === "text")
      const { error_code, error_msg, data } = JSON.parse(text.text)
      return { answer: `${error_code} ${error_msg}`.trim(), data, replayed: _meta?.[REPLAYED] }
    })
  )

layer(layerHttpServer())("a key", (it) => {
  it.effect("is the same through either door", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { operatorId, token } = yield* createOperator()
      const fields = { type: "cleaning", note: "linen" }
      const first = yield* rest(token, "POST", "/tasks", '"linen-1"', fields)
      assert.deepStrictEqual([first.answer, first.replayed], ["0", null])
      const again = yield* rest(token, "POST", "/tasks", "linen-1", fields)
      assert.deepStrictEqual(again, { ...first, replayed: "true" })
      assert.deepStrictEqual(yield* tool(token, "create_task", fields, "linen-1"), { ...first, replayed: true })
      // An id in the path is the id among a tool's arguments.
      const id = first.data.task_id
      const edited = yield* tool(token, "update_task", { id, note: "towels" }, "towels-1")
      assert.deepStrictEqual([edited.answer, edited.replayed], ["0", undefined])
      assert.strictEqual((yield* rest(token, "PATCH", `/tasks/${id}`, "towels-1", { note: "towels" })).replayed, "true")
      assert.strictEqual(
        (yield* rest(token, "PATCH", `/tasks/${id + 1}`, "towels-1", { note: "towels" })).answer.slice(0, 3),
        "422"
      )
      assert.strictEqual((yield* rest(token, "DELETE", `/tasks/${id}`, "gone-1")).answer, "0")
      assert.strictEqual((yield* rest(token, "DELETE", `/tasks/${id}`, "gone-1")).replayed, "true")
      assert.match((yield* rest(token, "DELETE", `/tasks/${id}`, undefined)).answer, /^404 id: /)
      const trail =
        yield* sql`SELECT operation, record, fields FROM trail WHERE operator_id = ${operatorId} ORDER BY id`
      assert.deepStrictEqual(trail, [
        { operation: "create_task", record: `task:${id}`, fields: [] },
        { operation: "update_task", record: `task:${id}`, fields: ["note"] },
        { operation: "delete_task", record: `task:${id}`, fields: [] }
      ])
    })
  )

  it.effect("that is none is told by its own name, and nothing is done", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { operatorId, token } = yield* createOperator()
      const fields = { type: "other" }
      assert.match((yield* rest(token, "POST", "/tasks", "", fields)).answer, /^400 Idempotency-Key: .*\b255\b/)
      assert.match((yield* rest(token, "POST", "/tasks", "a b", fields)).answer, /^400 Idempotency-Key: /)
      assert.match(
        (yield* tool(token, "create_task", fields, 7)).answer,
        /^400 _meta\["latchkey\/idempotency-key"\]: .*\btext\b/
      )
      // Who may not call at all is not told about the key, and a read has no use for one.
      assert.strictEqual((yield* rest("lk_unknown", "POST", "/tasks", "", fields)).answer, "401 Invalid access token")
      assert.strictEqual((yield* rest(token, "GET", "/tasks", "")).answer, "0")
      assert.strictEqual((yield* tool(token, "search_tasks", {}, 7)).answer, "0")
      assert.lengthOf(yield* sql`SELECT FROM tasks WHERE operator_id = ${operatorId}`, 0)
    })
  )
})
