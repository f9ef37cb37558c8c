import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import erasedDetails from "../../../migrations/0066_erased_details.ts"
import { eraseGuestMatches } from "../../../src/tools/privacy/guest-erasure.ts"
import { findGuest } from "../../../src/tools/privacy/guest-search.ts"
import { asSystemActor, layerService } from "../../support/harness.ts"
import { layerOwnDatabase } from "../../support/own-database.ts"
import { findTablesWithWord, insertErasableGuest } from "../../support/tools/privacy/erasable-guest.ts"

const NOW = new Date("2026-11-26T12:00:00Z")

layer(layerService(layerOwnDatabase), { excludeTestServices: true })("the migration of erased details", (it) => {
  it.effect("clears what earlier releases left of erased guests, and nothing of other guests", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const [erased, present] = [
        yield* insertErasableGuest({ word: "Quaffle" }),
        yield* insertErasableGuest({ word: "Bludger" })
      ]
      const textsOf = (operatorId: number) => sql`
        SELECT s.rate_details, r.guest_review, r.host_review
        FROM stays s JOIN reviews r ON r.operator_id = s.operator_id AND r.order_id = s.order_id WHERE s.operator_id = ${operatorId}`
      const of = erased.operator.operatorId
      yield* asSystemActor(eraseGuestMatches(yield* findGuest(of, { by: "order", value: erased.reservationCode }, NOW)))
      const cleared = yield* textsOf(of)
      yield* sql`
        UPDATE stays SET rate_details = jsonb_set(rate_details, '{0,description}', '"of Quaffle"') WHERE operator_id = ${of}`
      yield* sql`
        UPDATE reviews SET guest_review = jsonb_set(guest_review, '{sub_score,0,review_category_tags}', '["Quaffle"]'),
          host_review = jsonb_set(host_review, '{sub_score,1,review_category_tags}', '["Quaffle"]')
        WHERE operator_id = ${of}`
      const others = yield* textsOf(present.operator.operatorId)
      yield* erasedDetails
      assert.deepStrictEqual(yield* textsOf(of), cleared)
      const left = yield* findTablesWithWord("Quaffle", of)
      assert.deepStrictEqual(
        left.filter((table) => table === "stays" || table === "reviews"),
        []
      )
      assert.deepStrictEqual(yield* textsOf(present.operator.operatorId), others)
    })
  )
})
