import { Effect, type Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Envelope } from "../../../../src/contract/envelope.ts"
import type { OperationName } from "../../../../src/service/Api.ts"
import { call, createOperator, dataOf } from "../../harness.ts"
import { insertChannelAccount, insertListing } from "../../listings.ts"
import { ScriptedChannel } from "../../scripted-channel.ts"

// What the tests of prices and rules begin with.

type SettingsData = Readonly<Record<string, Schema.Json>>

/** A new operator with one listing at each of the two channels, and what a test does with them. */
export const preparePriceListings = Effect.gen(function* () {
  const operator = yield* createOperator()
  const { operatorId, token } = operator
  const channel = yield* ScriptedChannel
  const createListingAt = Effect.fnUntraced(function* (channelType: "airbnb" | "vrbo") {
    const accountId = yield* insertChannelAccount(operatorId, { channelType })
    const listing_id = yield* insertListing(operatorId, accountId, { channelType })
    const callForListing = (operation: OperationName, fields: object = {}) =>
      call(token, operation, { listing_id, ...fields })
    return {
      accountId,
      listing_id,
      getSettings: callForListing(`get_${channelType}_price_and_rules`),
      updateSettings: (settings: unknown) => callForListing(`update_${channelType}_price_and_rules`, { settings })
    }
  })
  const [airbnb, vrbo] = [yield* createListingAt("airbnb"), yield* createListingAt("vrbo")]
  return {
    ...operator,
    channel,
    airbnb: { ...airbnb, remoteSettings: channel.rules.loadAirbnbSettings(airbnb.accountId, airbnb.listing_id) },
    vrbo: { ...vrbo, pushedSettings: channel.rules.loadVrboSettings(vrbo.accountId, vrbo.listing_id) }
  }
})

/** What a listing shows; fails the test when the call does. */
export const loadShownSettings = <E, R>(getSettings: Effect.Effect<Envelope, E, R>) =>
  Effect.map(Effect.flatMap(getSettings, dataOf), (data): SettingsData => Object(data))

/** The rows of the operator's listings, as text: to see that nothing changed. */
export const loadListingRows = Effect.fnUntraced(function* (operatorId: number) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ row: string }>`
    SELECT listings::text AS row FROM listings WHERE operator_id = ${operatorId} ORDER BY id`
  return rows.map(({ row }) => row)
})
