import { assert, layer } from "@effect/vitest"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { Effect } from "effect"
import { AMOUNT_MAX } from "../../src/platform/limits.ts"
import { operations } from "../../src/service/Api.ts"
import { makeTools } from "../../src/transports/mcp/tools.ts"
import { fieldOfError } from "../support/error-messages.ts"
import { createOperator, insertOrder, insertProperty } from "../support/harness.ts"
import { BaseUrl, layerHttpServer } from "../support/http-server.ts"

// What real clients send, over real sockets and both doors of the real service.

interface Reply {
  readonly error_code: number
  readonly error_msg: string
  readonly data: Readonly<Record<string, unknown>>
  /** As it came. */
  readonly text: string
}

const replyOf = (text: string): Reply => ({ ...JSON.parse(text), text })

/** A body is sent as it stands when it is text: JSON can write what JavaScript would straighten. */
const rest = (token: string, method: string, path: string, body?: unknown) =>
  Effect.flatMap(BaseUrl, (base) =>
    Effect.promise(async () => {
      const response = await fetch(`${base}/v3${path}`, {
        method,
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) })
      })
      return replyOf(await response.text())
    })
  )

const tool = (token: string, name: string, fields: Record<string, unknown>) =>
  Effect.flatMap(BaseUrl, (base) =>
    Effect.promise(async () => {
      const client = new Client({ name: "test", version: "1" })
      const requestInit = { headers: { authorization: `Bearer ${token}` } }
      await client.connect(new StreamableHTTPClientTransport(new URL(`${base}/mcp`), { requestInit }))
      const { content } = await client.callTool({ name, arguments: fields })
      await client.close()
      const texts = Array.isArray(content) ? content.map(({ text }) => String(text)) : []
      return { ...replyOf(texts[0] ?? ""), more: texts.slice(1) }
    })
  )

const entry = { direction: "income", amount: 5, currency: "EUR", item_id: 11, payment_method_id: 197 }

layer(layerHttpServer())("a client", (it) => {
  it.effect("may write a whole number as text, and null for what it does not give", () =>
    Effect.gen(function* () {
      const { operatorId, token } = yield* createOperator()
      const property_id = yield* insertProperty(operatorId, "Harbour 1")
      const task = { type: "cleaning", property_id: `${property_id}`, staff_id: null, note: null, stay_code: null }
      const created = [yield* tool(token, "create_task", task), yield* rest(token, "POST", "/tasks", task)]
      assert.deepStrictEqual(
        created.map(({ error_msg }) => error_msg),
        ["", ""]
      )
      const found = yield* tool(token, "search_tasks", { property_id: `${property_id}`, id: null, limit: "1" })
      assert.deepInclude(found.data, { total: 2 })
      const id = String(created[0]?.data["task_id"])
      assert.strictEqual((yield* tool(token, "update_task", { id, staff_id: null, fee: 5 })).error_msg, "")
      assert.strictEqual(fieldOfError(yield* tool(token, "update_task", { id, fee: "5" })), "fee")
      assert.strictEqual(fieldOfError(yield* tool(token, "update_task", { id, note: null })), "note")
      const groups = yield* tool(token, "create_property_group", { name: "Harbour", property_ids: [`${property_id}`] })
      assert.deepInclude(groups.data["group"], { property_ids: [property_id] })
      const link = yield* tool(token, "create_calendar_share_link", { scope: "entire", property_ids: null })
      assert.strictEqual(link.error_msg, "")
    })
  )

  it.effect("may not write null where not giving a field does more", () =>
    Effect.gen(function* () {
      const { token } = yield* createOperator()
      const staff = { name: "Marta", mobile: "+351 912345678", property_ids: null }
      const hook = { url: "https://hooks.example.com/in", events: null }
      for (const [path, body, field] of [
        ["/staffs", staff, "property_ids"],
        ["/webhooks", hook, "events"],
        ["/transactions", { ...entry, property_id: null }, "property_id"],
        ["/transactions", { ...entry, reservation_code: null }, "reservation_code"],
        ["/transactions", { ...entry, stay_code: null }, "stay_code"]
      ] as const) {
        const { error_code, error_msg } = yield* rest(token, "POST", path, body)
        assert.strictEqual(error_code, 400)
        assert.match(error_msg, new RegExp(`^${field}: must be `))
      }
    })
  )

  it.effect("may give property_ids of availability as a list or as text, and is told so", () =>
    Effect.gen(function* () {
      const { operatorId, token } = yield* createOperator()
      const ids = [yield* insertProperty(operatorId, "Harbour 1"), yield* insertProperty(operatorId, "Harbour 2")]
      const today = "1970-01-02"
      const days = { start_date: today, end_date: today }
      const over = (property_ids: unknown) => tool(token, "get_property_availability", { property_ids, ...days })
      const query = yield* rest(
        token,
        "GET",
        `/availabilities?property_ids=${ids}&start_date=${today}&end_date=${today}`
      )
      assert.strictEqual(query.error_msg, "")
      for (const form of [ids, ids.map(String), ids.join(","), ids.join(", ")]) {
        assert.deepStrictEqual((yield* over(form)).data, query.data)
      }

      for (const wrong of [ids[0], null, { id: ids[0] }]) {
        assert.strictEqual(fieldOfError(yield* over(wrong)), "property_ids")
      }
    })
  )

  it.effect("is told of arguments a tool does not know, beside the same envelope", () =>
    Effect.gen(function* () {
      const { token } = yield* createOperator()
      const { data, more } = yield* tool(token, "search_tasks", { staff: 3 })
      assert.deepInclude(data, { total: 0 })
      assert.lengthOf(more, 1)
      assert.match(more[0] ?? "", /^Ignored: staff\..*\bstaff_id\b/)
      assert.deepStrictEqual((yield* tool(token, "search_tasks", { status: "pending" })).more, [])
      // Known, though it is not shown: an edit refuses it.
      assert.deepStrictEqual((yield* tool(token, "update_transaction", { id: 1, currency: "EUR" })).more, [])
    })
  )

  it.effect("is told of all wrong fields at once", () =>
    Effect.gen(function* () {
      const { token } = yield* createOperator()
      const { error_code, error_msg } = yield* tool(token, "create_task", { property_id: 0, level: "high", fee: "5" })
      assert.strictEqual(error_code, 400)
      const fields = Array.from(error_msg.matchAll(/\b([a-z_]+): /g), ([, field]) => field)
      assert.deepStrictEqual(fields, ["type", "fee", "property_id", "level"])
      for (const level of ["standard", "simple", "advanced"]) assert.include(error_msg, level)
    })
  )
})

layer(layerHttpServer())("text the database cannot keep", (it) => {
  it.effect("is 422 and names the field, also as the name of a custom field, over both doors", () =>
    Effect.gen(function* () {
      const { operatorId, token } = yield* createOperator()
      const property_id = yield* insertProperty(operatorId, "Harbour 1")
      const code = yield* insertOrder(operatorId, [{ propertyId: property_id }])
      const path = `/reservations/${code}/custom_fields`
      const named = (name: string, value = '"x"') =>
        rest(token, "PATCH", path, `{"custom_fields":{"${name}":${value}}}`)
      for (const refused of [
        yield* named("\\ud800"),
        yield* named("a\\u0000"),
        yield* named("\\udc00", "null"),
        yield* named("door", '"\\ud800"'),
        yield* tool(token, "update_reservation_custom_fields", { stay_code: code, custom_fields: { "\u0000": "x" } })
      ]) {
        assert.strictEqual(refused.error_code, 422, refused.error_msg)
        assert.match(fieldOfError(refused), /^custom_fields\../)
      }
      for (const [method, at, field] of [
        ["GET", "/reservation_tags?keyword=a%00", "keyword"],
        ["GET", "/reservations/a%00/custom_fields", "stay_code"],
        ["GET", "/transactions?start_date=2027-01-01%00&end_date=2027-01-02", "start_date"]
      ] as const) {
        const { error_code, error_msg } = yield* rest(token, method, at)
        assert.deepStrictEqual([error_code, fieldOfError({ error_msg })], [422, field])
        assert.include(error_msg, "U+0000")
      }
    })
  )
})

layer(layerHttpServer())("money and time", (it) => {
  it.effect("what came in on an order is summed and shown to its last digit", () =>
    Effect.gen(function* () {
      const { operatorId, token } = yield* createOperator()
      const property_id = yield* insertProperty(operatorId, "Harbour 1")
      const reservation_code = yield* insertOrder(operatorId, [{ propertyId: property_id, revenue: "0.001" }], {
        currency: "KWD"
      })
      const receive = (amount: number) =>
        rest(token, "POST", "/transactions", { ...entry, currency: "KWD", reservation_code, amount })
      const shown = Effect.gen(function* () {
        const there = yield* rest(token, "GET", `/reservations?reservation_code=${reservation_code}`)
        const here = yield* tool(token, "search_reservations", { reservation_code })
        return [there, here].map(({ text }) => /"payment":(\{[^}]*\})/.exec(text)?.[1])
      })
      const received = (amount: string) =>
        `{"currency":"KWD","total_amount":0.001,"received_amount":${amount},"balance_amount":0,"status":"over_received"}`
      yield* receive(999_999_999_998.999)
      yield* receive(AMOUNT_MAX)
      assert.deepStrictEqual(yield* shown, [received("1999999999997.999"), received("1999999999997.999")])
      for (let more = 0; more < 9; more++) yield* receive(999_999_999_998.999)
      // A floating number is 0.002 apart from the next here.
      assert.deepStrictEqual(yield* shown, [received("10999999999988.99"), received("10999999999988.99")])
      yield* receive(0.001)
      assert.deepStrictEqual(yield* shown, [received("10999999999988.991"), received("10999999999988.991")])
    })
  )

  it.effect("an instant outside the years 1 to 9999 and a currency nobody pays with are 422", () =>
    Effect.gen(function* () {
      const { operatorId, token } = yield* createOperator({ timeZone: "Pacific/Kiritimati" })
      const property_id = yield* insertProperty(operatorId, "Harbour 1")
      const create = (fields: object) => rest(token, "POST", "/transactions", { ...entry, property_id, ...fields })
      for (const action_at of ["0001-01-01T00:00:00+01:00", "9999-12-31T23:59:59-00:01", "0001-01-01T13:00:00"]) {
        const { error_code, error_msg } = yield* create({ action_at })
        assert.strictEqual(error_code, 422, action_at)
        assert.match(error_msg, /^action_at: .*\b9999\b/)
      }
      for (const action_at of ["0001-01-01T01:00:00+01:00", "0001-01-02T00:00:00", "9999-12-30T23:59:59"]) {
        const { data, error_msg } = yield* create({ action_at })
        assert.strictEqual(error_msg, "", action_at)
        const found = yield* rest(token, "GET", `/transactions?id=${data["transaction_id"]}`)
        assert.strictEqual(found.error_msg, "", action_at)
      }
      for (const currency of ["XXX", "XTS", "XAU", "CLF"]) {
        const { error_code, error_msg } = yield* create({ currency })
        assert.strictEqual(error_code, 422)
        assert.match(error_msg, /^currency: /)
      }
    })
  )
})

layer(layerHttpServer())("the hints of the real tools", (it) => {
  it("warn of what is gone afterwards, and know what may be sent again", () => {
    const hints = Array.from(makeTools(operations), ([name, { definition: listed }]) => ({
      name,
      ...listed.annotations
    }))
    const named = (keep: (hint: (typeof hints)[number]) => boolean) => hints.filter(keep).map(({ name }) => name)
    assert.includeMembers(
      named(({ destructiveHint }) => destructiveHint === true),
      [
        ...["approve_reservation", "decline_reservation", "cancel_reservation", "delete_task"],
        ...["update_property_group", "update_property_tag", "update_staff"]
      ]
    )
    assert.isFalse(hints.some(({ readOnlyHint, destructiveHint }) => readOnlyHint === true && destructiveHint === true))
    const creations = named(({ idempotentHint }) => idempotentHint === false)
    assert.include(creations, "create_transaction")
    assert.notInclude(creations, "add_reservation_tag")
  })

  it("stand beside examples that the description does not repeat", () => {
    for (const [, { definition: listed }] of makeTools(operations)) {
      const { intent_examples: examples } = listed._meta ?? {}
      assert.isArray(examples)
      for (const example of Array.isArray(examples) ? examples : []) assert.notInclude(listed.description, example)
    }
  })
})
