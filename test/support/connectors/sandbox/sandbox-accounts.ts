import { Context, Effect, Layer, Ref } from "effect"
import { SqlClient } from "effect/sql"
import { Ingest, type IngestResult, type SourceAccount } from "../../../../src/connectors/ingest/Ingest.ts"
import { generateListingId } from "../../../../src/connectors/sandbox/id-generation.ts"
import { layerSandbox } from "../../../../src/connectors/sandbox/layer.ts"
import { makeAddListing } from "../../../../src/connectors/sandbox/listing-insert.ts"
import type { SandboxListingRequest } from "../../../../src/connectors/sandbox/marketplace-requests.ts"
import { createListing } from "../../../../src/connectors/sandbox/new-listing.ts"
import type { SandboxAccount } from "../../../../src/connectors/sandbox/rows.ts"
import { SandboxAccess } from "../../../../src/connectors/sandbox/SandboxAccess.ts"
import type { ChannelEvent } from "../../../../src/domain/channels/port/channel-events.ts"
import type { RemoteAccount } from "../../../../src/domain/channels/port/connector.ts"
import { createOperator } from "../../harness.ts"
import { insertChannelAccount } from "../../listings.ts"
import { layerOwnDatabase } from "../../own-database.ts"
import { layerTestDatabase } from "../../test-database.ts"

// The marketplace with a service that only listens.

/** Who is told what the marketplace says. */
export class ReceivedEvents extends Context.Service<
  ReceivedEvents,
  {
    /** What it was told by an account, oldest first. */
    readonly listEvents: (accountId: number) => Effect.Effect<ReadonlyArray<unknown>>
    /** Answers like that from now on, whatever is told of the account. */
    readonly setIngestResponse: (
      accountId: number,
      respond: (event: unknown) => Effect.Effect<IngestResult>
    ) => Effect.Effect<void>
  }
>()("latchkey/test/Listener") {
  static readonly layer: Layer.Layer<ReceivedEvents | Ingest> = Layer.effectContext(
    Effect.gen(function* () {
      const receivedEvents = yield* Ref.make<ReadonlyArray<{ readonly accountId: number; readonly event: unknown }>>([])
      const responses = yield* Ref.make<ReadonlyMap<number, (event: unknown) => Effect.Effect<IngestResult>>>(new Map())
      const ingest = ({ accountId }: SourceAccount, event: unknown): Effect.Effect<IngestResult> =>
        Effect.gen(function* () {
          yield* Ref.update(receivedEvents, (all) => [...all, { accountId, event }])
          const respond = (yield* Ref.get(responses)).get(accountId)
          return respond === undefined ? { outcome: "applied" } : yield* respond(event)
        })
      return Context.make(Ingest, Ingest.of({ ingest })).pipe(
        Context.add(
          ReceivedEvents,
          ReceivedEvents.of({
            listEvents: (accountId) =>
              Effect.map(Ref.get(receivedEvents), (all) =>
                all.filter((each) => each.accountId === accountId).map(({ event }) => event)
              ),
            setIngestResponse: (accountId, answer) =>
              Ref.update(responses, (all) => new Map([...all, [accountId, answer]]))
          })
        )
      )
    })
  )
}

const layerSandboxWithReceivedEvents = layerSandbox.pipe(
  Layer.provideMerge(Layer.merge(ReceivedEvents.layer, SandboxAccess.layerAlways))
)

export const layerSandboxTest = Layer.provideMerge(layerSandboxWithReceivedEvents, layerTestDatabase)

/** The same over a database of its own: what is due of all accounts would else be told here of other files' accounts too. */
export const layerSandboxTestOnOwnDatabase = Layer.provideMerge(layerSandboxWithReceivedEvents, layerOwnDatabase)

/** The moment that tests of the sandbox begin at. */
export const NOW = Date.parse("2027-05-01T09:00:00Z")

/** An account of a fresh operator at a channel, as its connector is told of it and as the sandbox knows it. */
export const createSandboxAccount = Effect.fn("accountAt")(function* (
  channelType: SandboxAccount["channel_type"] = "airbnb",
  operatorId?: number
) {
  const owner = operatorId ?? (yield* createOperator()).operatorId
  const accountId = yield* insertChannelAccount(owner, { channelType })
  const remoteAccount: RemoteAccount = { operatorId: owner, accountId, channelType, originAccountId: "harbour" }
  const account: SandboxAccount = {
    operator_id: owner,
    account_id: accountId,
    channel_type: channelType,
    username: "harbour",
    time_zone: "Europe/Berlin"
  }
  return { remoteAccount, account, operatorId: owner, accountId }
})

/** A listing there; answers the channel's id of it. */
export const createSandboxListing = Effect.fn("listingAt")(function* (
  account: SandboxAccount,
  options: Partial<Omit<SandboxListingRequest, "channel_type" | "operator_id">> = {}
) {
  const sql = yield* SqlClient.SqlClient
  const listingId = options.listing_id ?? (yield* generateListingId(account.channel_type))
  const listing = createListing({ ...options, channel_type: account.channel_type }, listingId, "EUR")
  const outcome = yield* makeAddListing(sql)(account, listing, new Date(NOW))
  return outcome === "added" ? listingId : yield* Effect.die(new Error(`the listing is ${outcome}`))
})

/** Whether something that was said is of that kind. */
export const isEventOfType =
  <Type extends ChannelEvent["type"]>(type: Type) =>
  (event: unknown): event is Extract<ChannelEvent, { readonly type: Type }> =>
    typeof event === "object" && event !== null && "type" in event && event.type === type
