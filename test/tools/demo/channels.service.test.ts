import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { SandboxQueries } from "../../../src/connectors/sandbox/SandboxQueries.ts"
import { SandboxRepository } from "../../../src/connectors/sandbox/SandboxRepository.ts"
import { makeDemoOrders } from "../../../src/tools/demo/orders.ts"
import { DEMO_PROPERTIES } from "../../../src/tools/demo/properties.ts"
import { writeChannels } from "../../../src/tools/demo/write-channels.ts"
import { writePortfolio } from "../../../src/tools/demo/write-portfolio.ts"
import { createHostWithProperties } from "../../support/domain/host-client.ts"
import { asSystemActor, layerTest } from "../../support/harness.ts"

const TODAY = "2027-05-10"
const NOW = new Date(`${TODAY}T10:00:00Z`)

layer(layerTest)("what the demo operator sells elsewhere", (it) => {
  it.effect("is linked, priced in percent, and sold as its marketplaces say; requests wait for a day", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOW.getTime())
      const {
        api,
        as,
        operatorId,
        accountId,
        propertyIds: rooms
      } = yield* createHostWithProperties(...DEMO_PROPERTIES.map(({ title }) => title))
      const orders = makeDemoOrders(TODAY, "Europe/Lisbon")
      const operator = {
        operatorId,
        accountId,
        accountName: "Demo",
        timeZone: "Europe/Lisbon",
        now: NOW,
        today: TODAY,
        propertyIds: rooms,
        orders
      }
      yield* writePortfolio(operator).pipe(asSystemActor)
      yield* writeChannels(operator).pipe(asSystemActor)

      const { channel_accounts } = yield* api.search_channel_accounts({}).pipe(as)
      assert.isTrue(channel_accounts.every(({ auth_status }) => auth_status === "active"))
      assert.includeMembers(
        channel_accounts.map(({ channel_type }) => channel_type),
        ["airbnb", "booking.com", "vrbo"]
      )
      const ratios = yield* api.get_pricing_ratios({ property_id: rooms[0] ?? 0 }).pipe(as)
      assert.deepInclude(
        ratios.channels.map(({ channel_type, ratio, readonly }) => ({ channel_type, ratio, readonly })),
        { channel_type: "airbnb", ratio: 110, readonly: false }
      )

      // Every order of a channel came in, in its property and under its nights; those that wait have a day left.
      const sql = yield* SqlClient.SqlClient
      const known = yield* sql<{ channel_id: string; status: string; properties: ReadonlyArray<number | null> }>`
        SELECT o.channel_id, o.status, (SELECT jsonb_agg(s.property_id ORDER BY s.id) FROM stays s
          WHERE s.operator_id = o.operator_id AND s.order_id = o.id) AS properties
        FROM orders o WHERE o.operator_id = ${operatorId}`
      const wanted = orders.filter(({ channelType }) => channelType !== "direct")
      assert.sameDeepMembers(
        known.map(({ channel_id, status, properties }) => [channel_id, status, properties]),
        wanted.map(({ channelId, status, stays }) => [
          channelId,
          status,
          stays.map(({ propertyIndex }) => rooms[propertyIndex] ?? null)
        ])
      )
      const [waiting] = yield* sql<{ least: Date }>`
        SELECT min(expires_at) AS least FROM orders WHERE operator_id = ${operatorId} AND status = 'wait_accept'`
      assert.isAtLeast(waiting?.least.getTime() ?? 0, NOW.getTime() + 12 * 3_600_000)

      // What guests have said is in the books, and the service was told all of it.
      const { rows: threads } = yield* Effect.flatMap(SandboxQueries, (seeing) =>
        seeing.listThreads({ limit: 100, offset: 0 }, { operator_id: operatorId })
      ).pipe(Effect.provide(Layer.provide(SandboxQueries.layer, SandboxRepository.layer)))
      assert.isAtLeast(threads.length, 12)
      const offers = threads.flatMap((thread) => thread.offers.map((offer) => [thread.channel_type, offer.status]))
      assert.deepStrictEqual(offers, [["airbnb", "active"]])
      const waits = yield* sql`
        SELECT kind, subject FROM sandbox_words WHERE operator_id = ${operatorId} AND (due_at IS NOT NULL OR heard IS NULL)`
      assert.deepStrictEqual(waits, [])
      const reviewed = yield* sql<{ count: number }>`
        SELECT count(*)::int AS count FROM sandbox_reviews WHERE operator_id = ${operatorId}`
      assert.deepStrictEqual(reviewed, [{ count: 4 }])
    })
  )
})
