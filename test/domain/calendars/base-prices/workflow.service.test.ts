import { assert, layer } from "@effect/vitest"
import { Effect, Schedule } from "effect"
import { Marketplace } from "../../../../src/connectors/sandbox/Marketplace.ts"
import { layerServiceWithSandbox } from "../../../support/connectors/sandbox/service-with-sandbox.ts"
import { createHostClient } from "../../../support/domain/host-client.ts"

// The price workflow from the API to the sandbox marketplace and back, on the wall clock.

const dateInDays = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)

const DAYS = { start_date: dateInDays(40), end_date: dateInDays(42) }
const MIDDLE = { start_date: dateInDays(41), end_date: dateInDays(41) }

layer(layerServiceWithSandbox, { excludeTestServices: true })("the price workflow", (it) => {
  it.effect("multiplies base prices by ratios, follows new ones, and keeps direct prices", () =>
    Effect.gen(function* () {
      const { operatorId, api, as } = yield* createHostClient({
        currency: "EUR",
        rateLimits: { endpoint: { "POST /listings/calendar": { "1m": 10_000 } } }
      })
      const market = yield* Marketplace
      const { property_id } = yield* api.create_property({ title: "Harbour view" }).pipe(as)
      const openListing = Effect.fnUntraced(function* (
        currency: string,
        change: { ratio?: number; readonly?: boolean }
      ) {
        const { listing_id } = yield* market.openListing({
          operator_id: operatorId,
          channel_type: "airbnb",
          base_price: 500,
          currency
        })
        const key = { channel_type: "airbnb", listing_id } as const
        yield* api.set_listing_mapping({ ...key, property_id, ...change }).pipe(as)
        return key
      })
      const plain = yield* openListing("EUR", { ratio: 100 })
      const dearer = yield* openListing("EUR", { ratio: 110 })
      const readonly = yield* openListing("EUR", { readonly: true })
      const dollars = yield* openListing("USD", { ratio: 100 })

      const readPrices = (key: typeof plain) =>
        Effect.map(api.search_listing_calendars({ ...DAYS, listings: [key] }).pipe(as), ({ listings: [listing] }) =>
          (listing?.calendar ?? []).map(({ price }) => price)
        )
      /** Reads until the worker has pushed these prices. The test's time limit ends it. */
      const awaitPrices = (key: typeof plain, ...prices: ReadonlyArray<number>) =>
        Effect.repeat(readPrices(key), {
          until: (found) => JSON.stringify(found) === JSON.stringify(prices),
          schedule: Schedule.spaced("20 millis")
        })

      const set = (...ranges: Parameters<typeof api.set_base_prices>[0]["ranges"]) =>
        api.set_base_prices({ property_id, ranges }).pipe(as)
      assert.deepStrictEqual(yield* set({ ...DAYS, price: 101 }), {
        pushed: [plain, dearer],
        skipped: [
          { ...readonly, reason: "readonly" },
          { ...dollars, reason: "currency" }
        ]
      })
      yield* awaitPrices(plain, 101, 101, 101)
      yield* awaitPrices(dearer, 111, 111, 111)

      yield* api.set_listing_mapping({ ...dearer, ratio: 120 }).pipe(as)
      yield* awaitPrices(dearer, 121, 121, 121)

      yield* api.update_listing_prices({ ...dearer, prices: [{ ...MIDDLE, price: 90 }] }).pipe(as)
      yield* awaitPrices(dearer, 121, 90, 121)
      yield* api.set_listing_mapping({ ...dearer, ratio: 110 }).pipe(as)
      yield* awaitPrices(dearer, 111, 90, 111)
      assert.deepStrictEqual((yield* set({ ...DAYS, price: 101 })).pushed, [])

      yield* set({ ...MIDDLE, price: 200 })
      yield* awaitPrices(dearer, 111, 220, 111)
      yield* awaitPrices(plain, 101, 200, 101)
      assert.deepStrictEqual(yield* readPrices(readonly), [500, 500, 500])
      assert.deepStrictEqual(yield* readPrices(dollars), [500, 500, 500])
    })
  )
})
