import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { isGuestPortalToken } from "../../../../src/domain/bookings/check-in/guest-portal-url.ts"
import { randomAddressToken } from "../../../../src/platform/random-text.ts"
import { createOperator, insertOrder, insertProperty, layerTest } from "../../../support/harness.ts"

const SECURITY = join(import.meta.dirname, "../../../../SECURITY.md")

/** A UUID of version 4 without its dashes. Six of its 128 bits are the version and the variant. */
const UUID = /^[0-9a-f]{12}4[0-9a-f]{3}[89ab][0-9a-f]{15}$/
const UUID_BITS = 128 - 6

layer(layerTest)("the address of a guest's page", (it) => {
  it.effect("has 122 random bits, and SECURITY.md says so", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { operatorId } = yield* createOperator()
      const propertyId = yield* insertProperty(operatorId, "Harbour")
      yield* insertOrder(operatorId, [{ propertyId, checkIn: "2027-03-01", checkOut: "2027-03-04" }])
      const [{ token = "" } = {}] = yield* sql<{ token: string }>`
        SELECT guide_token AS token FROM stays WHERE operator_id = ${operatorId}`
      assert.isTrue(isGuestPortalToken(token))
      assert.match(token.replace(/^lkguest_/, ""), UUID)
      const alphabet = new Set(Array.from({ length: 2_000 }, randomAddressToken).join(""))
      assert.strictEqual(alphabet.size, 32)
      const bits = randomAddressToken().length * Math.log2(alphabet.size)
      assert.isAtLeast(bits, UUID_BITS)
      assert.include(readFileSync(SECURITY, "utf8"), `at least ${UUID_BITS} random bits`)
    })
  )
})
