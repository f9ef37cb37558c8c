import { assert, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { PropertyEditStore } from "../src/domain/properties/property-edits/PropertyEditStore.ts"
import { OutboundHttp } from "../src/domain/webhooks/deliveries/OutboundHttp.ts"
import { PublicUrl } from "../src/platform/installation.ts"
import { createOperator, insertProperty, typedClient, withToken } from "./support/harness.ts"
import { deactivateProperty } from "./support/property-activation.ts"
import { startTwoServices } from "./support/two-services.ts"

/** What a property's shared calendar says at the other's door. */
const asked = (url: string) =>
  Effect.flatMap(OutboundHttp, ({ request: ask }) => ask({ method: "GET", url, headers: {}, maxBytes: 2 ** 20 })).pipe(
    Effect.map((answer) =>
      answer.outcome === "answered" ? { status: answer.status, text: answer.bytes.toString() } : answer.reason
    )
  )

/** A property, and the address of its shared calendar. */
const shared = Effect.gen(function* () {
  const { operatorId, token } = yield* createOperator({ timeZone: "UTC" })
  const property = yield* insertProperty(operatorId, "Harbour 1")
  const api = yield* typedClient
  const { calendar_share_link } = yield* api
    .create_calendar_share_link({ scope: "partial", property_ids: [property] })
    .pipe(withToken(token))
  return { operatorId, property, address: calendar_share_link.url }
})

it.effect(
  "two services have a database and a door each, read each other's calendars through it, and have one clock",
  () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.parse("2027-05-10T12:00:00Z"))
      const [here, there] = yield* startTwoServices(PropertyEditStore.layer)
      const [ours, theirs] = [yield* here.runInside(shared), yield* there.runInside(shared)]
      assert.notStrictEqual(here.url, there.url)
      for (const [who, { address }] of [
        [here, ours],
        [there, theirs]
      ] as const) {
        assert.isTrue(address.startsWith(`${who.url}/`), address)
        assert.strictEqual(yield* who.runInside(PublicUrl), who.url)
        const [{ properties } = { properties: 0 }] = yield* who.runInside(
          Effect.flatMap(
            SqlClient.SqlClient,
            (sql) => sql<{ properties: number }>`SELECT count(*)::int AS properties FROM properties`
          )
        )
        assert.strictEqual(properties, 1, "it knows nothing of the other's")
      }
      const feed = `${theirs.address}.ics`
      const before = yield* here.runInside(asked(feed))
      assert.nestedPropertyVal(before, "status", 200)
      assert.nestedPropertyVal(yield* there.runInside(asked(`${ours.address}.ics`)), "status", 200)
      yield* there.runInside(deactivateProperty(theirs.property))
      assert.notDeepEqual(yield* here.runInside(asked(feed)), before)

      yield* here.setDisconnected(true)
      assert.strictEqual(yield* here.runInside(asked(feed)), "connect")
      assert.nestedPropertyVal(yield* there.runInside(asked(`${ours.address}.ics`)), "status", 200)
      yield* here.setDisconnected(false)
      assert.nestedPropertyVal(yield* here.runInside(asked(feed)), "status", 200)

      yield* TestClock.adjust("15 minutes")
      const times = [yield* here.runInside(Clock.currentTimeMillis), yield* there.runInside(Clock.currentTimeMillis)]
      assert.deepStrictEqual(times, Array(2).fill(Date.parse("2027-05-10T12:15:00Z")))
    })
)
