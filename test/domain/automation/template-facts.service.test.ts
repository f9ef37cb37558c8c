import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { findRuleWithStay } from "../../../src/domain/automation/rules/rule-queries.ts"
import { findInquiryFacts } from "../../../src/domain/automation/template-facts.ts"
import { insertConversation } from "../../support/conversations.ts"
import { createOperator, insertOrder, insertProperty } from "../../support/harness.ts"
import { insertChannelAccount, insertListing } from "../../support/listings.ts"
import { layerTestDatabase } from "../../support/test-database.ts"

const codesOf = Effect.fnUntraced(function* (operatorId: number) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{
    stay_code: string
  }>`SELECT stay_code FROM stays WHERE operator_id = ${operatorId} ORDER BY id`
  return rows.map(({ stay_code }) => stay_code)
})

layer(layerTestDatabase)("the facts of a stay", (it) => {
  it.effect("are what a template says of it, as it is now", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { operatorId } = yield* createOperator({ timeZone: "Asia/Kolkata" })
      const property = yield* insertProperty(operatorId, "Harbour 1")
      const code = yield* insertOrder(operatorId, [{ propertyId: property }, { propertyId: null }], {
        channelType: "airbnb"
      })
      yield* sql`
        UPDATE properties SET address = 'Rua Nova 1', checkin_time = '16:30' WHERE operator_id = ${operatorId}`
      yield* sql`
        UPDATE stays SET guest_name = 'Ada', number_of_guests = 3, custom_fields = '{"gate": "blue"}', lock_code = '4711'
        WHERE operator_id = ${operatorId} AND stay_code = ${code}`
      yield* sql`UPDATE orders SET booked_at = '2027-04-01T08:00:00Z' WHERE operator_id = ${operatorId}`
      const read = (operator: number, stayCode: string) =>
        Effect.map(findRuleWithStay(sql)(operator, 0, stayCode), ({ stay }) => stay ?? undefined)
      const codes = yield* codesOf(operatorId)
      assert.lengthOf(codes, 2)
      const first = yield* read(operatorId, code)
      assert.deepInclude(first, {
        reservation_code: code,
        channel_type: "airbnb",
        status: "accepted",
        booked_at: new Date("2027-04-01T08:00:00Z"),
        time_zone: "Asia/Kolkata",
        check_in_date: "2027-05-01",
        check_out_date: "2027-05-04",
        check_in_time: "16:30",
        check_out_time: "11:00",
        property_id: property,
        is_last: false,
        title: "Harbour 1",
        address: "Rua Nova 1",
        host_name: "Test",
        guest_name: "Ada",
        number_of_guests: 3,
        custom_fields: { gate: "blue" },
        lock_code: "4711"
      })
      assert.match(first?.guide_token ?? "", /^lkguest_[0-9a-f]{32}$/)
      const [other = ""] = codes.filter((each) => each !== code)
      assert.deepInclude(yield* read(operatorId, other), {
        property_id: null,
        is_last: true,
        title: null,
        check_in_time: "15:00",
        custom_fields: null
      })
    })
  )

  it.effect("are told of its own operator only", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { operatorId } = yield* createOperator()
      const stranger = yield* createOperator()
      const code = yield* insertOrder(operatorId, [{ propertyId: null }])
      assert.deepStrictEqual(yield* findRuleWithStay(sql)(stranger.operatorId, 0, code), {
        rule: null,
        assignee: null,
        stay: null
      })
    })
  )

  it.effect("of an inquiry are of the property whose listing is asked about", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { operatorId } = yield* createOperator()
      const property = yield* insertProperty(operatorId, "Harbour 1")
      const accountId = yield* insertChannelAccount(operatorId)
      const listingId = yield* insertListing(operatorId, accountId, { propertyId: property })
      const asking = Effect.fnUntraced(function* (asked?: string) {
        const { code } = yield* insertConversation({
          operatorId,
          accountId,
          channelType: "airbnb",
          ...(asked === undefined
            ? {}
            : { inquiry: { listingId: asked, checkInDate: "2027-05-01", checkOutDate: "2027-05-04" } })
        })
        const [row] = yield* sql<{ id: number }>`SELECT id FROM conversations WHERE code = ${code}`
        return row?.id ?? assert.fail("no row was inserted or found")
      })
      const read = findInquiryFacts(sql)
      const known = { guest_name: "Ada Lovelace", host_name: "Test", channel_type: "airbnb", address: null }
      const about = yield* asking(listingId)
      assert.deepStrictEqual(yield* read(operatorId, about), {
        ...known,
        property_id: property,
        title: "Harbour 1",
        check_in_date: "2027-05-01",
        check_out_date: "2027-05-04"
      })
      const nothing = { ...known, property_id: null, title: null, check_in_date: null, check_out_date: null }
      assert.deepStrictEqual(yield* read(operatorId, yield* asking()), nothing)
      assert.deepInclude(yield* read(operatorId, yield* asking("gone")), { property_id: null, title: null })
      const stranger = yield* createOperator()
      assert.isUndefined(yield* read(stranger.operatorId, about))
    })
  )
})
