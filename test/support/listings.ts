import { randomBytes } from "node:crypto"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

// Accounts at channels and their listings, written directly.

export interface ChannelAccountOptions {
  readonly channelType?: string
  readonly authStatus?: "active" | "connecting" | "disconnected" | "exception"
  readonly connector?: string
  readonly username?: string
}

/** An account of the operator at a channel; answers its id. */
export const insertChannelAccount = Effect.fn("channelAccountOf")(function* (
  operatorId: number,
  options: ChannelAccountOptions = {}
) {
  const sql = yield* SqlClient.SqlClient
  const { channelType = "airbnb", authStatus = "active", connector = "sandbox", username = "harbour" } = options
  const [row] = yield* sql<{ id: number }>`
    INSERT INTO channel_accounts (operator_id, channel_type, username, origin_account_id, auth_status, connector, created_at)
    VALUES (${operatorId}, ${channelType}, ${username}, ${randomBytes(6).toString("hex")}, ${authStatus}, ${connector}, now())
    RETURNING id`
  return row === undefined ? yield* Effect.die(new Error("no account was inserted")) : row.id
}, Effect.orDie)

export interface ListingOptions {
  readonly channelType?: string
  readonly listingId?: string
  readonly title?: string
  readonly currency?: string
  readonly propertyId?: number
  readonly roomTypeId?: number
  readonly ratio?: number
  readonly isReadOnly?: boolean
}

/** A listing of an account, linked to a property, a room type, or to nothing; answers the channel's id of it. */
export const insertListing = Effect.fn("listingOf")(function* (
  operatorId: number,
  accountId: number,
  options: ListingOptions = {}
) {
  const sql = yield* SqlClient.SqlClient
  const listingId = options.listingId ?? randomBytes(5).toString("hex")
  yield* sql`
    INSERT INTO listings (operator_id, account_id, channel_type, listing_id, title, currency, shelf_status, property_id,
      room_type_id, ratio, ratio_readonly, created_at, updated_at)
    VALUES (${operatorId}, ${accountId}, ${options.channelType ?? "airbnb"}, ${listingId}, ${options.title ?? "Harbour view"},
      ${options.currency ?? "EUR"}, 'on', ${options.propertyId ?? null}, ${options.roomTypeId ?? null},
      ${options.ratio ?? 100}, ${options.isReadOnly ?? false}, now(), now())`
  return listingId
}, Effect.orDie)
