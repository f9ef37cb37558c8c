import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { createOperator, insertOrder } from "../../support/harness.ts"
import { layerRunningService, runBesideService } from "../../support/tools/cli/running-service.ts"

const OneLine = Schema.fromJsonString(Schema.Record(Schema.String, Schema.Unknown))

/** What `latchkey check-in approve …` answers in JSON. */
const approve = Effect.fnUntraced(function* (...args: ReadonlyArray<string>) {
  const { code, stdout, stderr } = yield* runBesideService(["check-in", "approve", ...args, "--json"])
  assert.strictEqual(stderr, "")
  return { code, answer: yield* Schema.decodeUnknownEffect(OneLine)(stdout) }
})

/** A stay of two guests, one of them by name, that asks for documents and a look at them. */
const ready = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { operatorId } = yield* createOperator()
  const code = yield* insertOrder(operatorId, [{ propertyId: null }])
  yield* sql`
    UPDATE stays SET number_of_guests = 2, id_required = 'required_with_review' WHERE operator_id = ${operatorId}`
  yield* sql`
    INSERT INTO guests (operator_id, stay_id, name)
    SELECT operator_id, id, 'Ada Lovelace' FROM stays WHERE operator_id = ${operatorId}`
  const handIn = (ofGuest: boolean) => sql`
    INSERT INTO identity_images (operator_id, order_id, stay_id, guest_id, large_url, extra_large_url, created_at)
    SELECT s.operator_id, s.order_id, s.id, ${ofGuest ? sql`g.id` : sql`NULL::bigint`}, 'l', 'x', now()
    FROM stays s JOIN guests g ON g.operator_id = s.operator_id AND g.stay_id = s.id WHERE s.operator_id = ${operatorId}`
  const approvedAt = Effect.map(
    sql<{ at: Date | null }>`SELECT check_in_approved_at AS at FROM stays WHERE operator_id = ${operatorId}`,
    ([row]) => row?.at
  )
  return { sql, operatorId, code, handIn, approvedAt }
})

layer(layerRunningService, { excludeTestServices: true })("latchkey check-in approve", (it) => {
  it.effect("approves once, tells of it once, and says since when", () =>
    Effect.gen(function* () {
      const { sql, operatorId, code, handIn, approvedAt } = yield* ready
      yield* handIn(true)
      yield* handIn(false)
      const first = yield* approve(code)
      assert.deepStrictEqual([first.code, Object.keys(first.answer)], [0, ["stay_code", "approved_at"]])
      assert.strictEqual(first.answer["stay_code"], code)
      assert.strictEqual(Date.parse(String(first.answer["approved_at"])), (yield* approvedAt)?.getTime())
      assert.deepStrictEqual(yield* approve(code, "--operator", `${operatorId}`), first)
      const { stdout } = yield* runBesideService(["check-in", "approve", code])
      assert.match(stdout, new RegExp(`\\b${code}\\b.*${first.answer["approved_at"]}`))
      const events =
        yield* sql`SELECT event, payload->>'sub_event' AS sub_event FROM events WHERE operator_id = ${operatorId}`
      assert.deepStrictEqual(events, [{ event: "reservation_updated", sub_event: "check_in_details_updated" }])
      const trail =
        yield* sql`SELECT application, operation, record, fields FROM trail WHERE operator_id = ${operatorId}`
      assert.deepStrictEqual(trail, [
        {
          application: "command line",
          operation: "check-in approve",
          record: `reservation:${code}`,
          fields: ["check_in_approved_at"]
        }
      ])
    })
  )

  it.effect("says why there is nothing to approve, and changes nothing", () =>
    Effect.gen(function* () {
      const { sql, operatorId, code, handIn, approvedAt } = yield* ready
      const refused = Effect.fnUntraced(function* (message: RegExp, ...args: ReadonlyArray<string>) {
        const { code, answer } = yield* approve(...args)
        assert.strictEqual(code, 1)
        assert.match(String(answer["error"]), message)
      })
      yield* refused(/stay/)
      yield* refused(/^stay: there is no stay 5-NONE\.$/, "5-NONE")
      yield* refused(/^stay: there is no stay .* of operator 999999999\.$/, code, "--operator", "999999999")
      yield* refused(/^stay: 2 guests\b/, code)
      yield* handIn(true)
      yield* refused(/^stay: 1 guest\b/, code)
      yield* handIn(false)
      yield* sql`UPDATE stays SET id_required = 'required' WHERE operator_id = ${operatorId}`
      yield* refused(/needs no approval; its id_required is required\.$/, code)
      yield* sql`UPDATE stays SET id_required = 'required_with_review' WHERE operator_id = ${operatorId}`
      const stranger = yield* ready
      yield* sql`UPDATE stays SET stay_code = ${code} WHERE operator_id = ${stranger.operatorId}`
      yield* refused(new RegExp(`stay ${code}; pass --operator \\(${operatorId}, ${stranger.operatorId}\\)\\.$`), code)
      yield* sql`DELETE FROM calendar_days WHERE operator_id = ${operatorId}`
      yield* sql`UPDATE orders SET status = 'cancelled', cancelled_at = now() WHERE operator_id = ${operatorId}`
      yield* refused(/order has ended/, code, "--operator", `${operatorId}`)
      assert.isNull(yield* approvedAt)
      assert.isNull(yield* stranger.approvedAt)
    })
  )
})
