import { Context, Effect, Layer, Ref } from "effect"
import { SqlClient } from "effect/sql"
import { Ingest, type IngestResult, type SourceAccount } from "../../../../src/connectors/ingest/Ingest.ts"
import { generateListingId } from "../../../../src/connectors/sandbox/id-generation.ts"
import { layerSandbox } from "../../../../src/connectors/sandbox/layer.ts"
import { makeAddListing } from "../../../../src/connectors/sandbox/listing-insert.ts"
import { newListing } from "../../../../src/connectors/sandbox/new-listing.ts"
import type { SandboxListingRequest } from "../../../../src/connectors/sandbox/requests.ts"
import type { SandboxAccount } from "../../../../src/connectors/sandbox/rows.ts"
import { SandboxAllowed } from "../../../../src/connectors/sandbox/SandboxAllowed.ts"
import type { ChannelEvent } from "../../../../src/domain/channels/port/channel-events.ts"
import type { RemoteAccount } from "../../../../src/domain/channels/port/connector.ts"
import { layerTestDatabase } from "../../database.ts"
import { freshOperator } from "../../harness.ts"
import { insertChannelAccount } from "../../listings.ts"
import { layerOwnDatabase } from "../../own-database.ts"

// The marketplace with a service that only listens.

/** Who is told what the marketplace says. */
export class ReceivedEvents extends Context.Service<
  ReceivedEvents,
  {
    /** What it was told by an account, oldest first. */
    readonly heardOf: (accountId: number) => Effect.Effect<ReadonlyArray<unknown>>
    /** Answers like that from now on, whatever is told of the account. */
    readonly answers: (accountId: number, answer: (said: unknown) => Effect.Effect<IngestResult>) => Effect.Effect<void>
  }
>()("latchkey/test/Listener") {
  static readonly layer: Layer.Layer<ReceivedEvents | Ingest> = Layer.effectContext(
    Effect.gen(function* () {
      const heard = yield* Ref.make<ReadonlyArray<{ readonly accountId: number; readonly said: unknown }>>([])
      const answers = yield* Ref.make<ReadonlyMap<number, (said: unknown) => Effect.Effect<IngestResult>>>(new Map())
      const ingest = ({ accountId }: SourceAccount, said: unknown): Effect.Effect<IngestResult> =>
        Effect.gen(function* () {
          yield* Ref.update(heard, (all) => [...all, { accountId, said }])
          const answer = (yield* Ref.get(answers)).get(accountId)
          return answer === undefined ? { outcome: "applied" } : yield* answer(said)
        })
      return Context.make(Ingest, Ingest.of({ ingest })).pipe(
        Context.add(
          ReceivedEvents,
          ReceivedEvents.of({
            heardOf: (accountId) =>
              Effect.map(Ref.get(heard), (all) =>
                all.filter((each) => each.accountId === accountId).map(({ said }) => said)
              ),
            answers: (accountId, answer) => Ref.update(answers, (all) => new Map([...all, [accountId, answer]]))
          })
        )
      )
    })
  )
}

const layerListening = layerSandbox.pipe(
  Layer.provideMerge(Layer.merge(ReceivedEvents.layer, SandboxAllowed.layerAlways))
)

export const layerWithListener = Layer.provideMerge(layerListening, layerTestDatabase)

/** The same over a database of its own: what is due of all accounts would else be told here of other files' accounts too. */
export const layerWithListenerAlone = Layer.provideMerge(layerListening, layerOwnDatabase)

/** The moment that tests of the sandbox begin at. */
export const NOW = Date.parse("2027-05-01T09:00:00Z")

/** An account of a fresh operator at a channel, as its connector is told of it and as the sandbox knows it. */
export const createSandboxAccount = Effect.fn("accountAt")(function* (
  channelType: SandboxAccount["channel_type"] = "airbnb",
  operatorId?: number
) {
  const owner = operatorId ?? (yield* freshOperator()).operatorId
  const accountId = yield* insertChannelAccount(owner, { channelType })
  const there: RemoteAccount = { operatorId: owner, accountId, channelType, originAccountId: "harbour" }
  const account: SandboxAccount = {
    operator_id: owner,
    account_id: accountId,
    channel_type: channelType,
    username: "harbour",
    time_zone: "Europe/Berlin"
  }
  return { there, account, operatorId: owner, accountId }
})

/** A listing there; answers the channel's id of it. */
export const createSandboxListing = Effect.fn("listingAt")(function* (
  account: SandboxAccount,
  options: Partial<Omit<SandboxListingRequest, "channel_type" | "operator_id">> = {}
) {
  const sql = yield* SqlClient.SqlClient
  const listingId = options.listing_id ?? (yield* generateListingId(account.channel_type))
  const listing = newListing({ ...options, channel_type: account.channel_type }, listingId, "EUR")
  const came = yield* makeAddListing(sql)(account, listing, new Date(NOW))
  return came === "added" ? listingId : yield* Effect.die(new Error(`the listing is ${came}`))
})

/** Whether something that was said is of that kind. */
export const isEventOfType =
  <Type extends ChannelEvent["type"]>(type: Type) =>
  (said: unknown): said is Extract<ChannelEvent, { readonly type: Type }> =>
    typeof said === "object" && said !== null && "type" in said && said.type === type
