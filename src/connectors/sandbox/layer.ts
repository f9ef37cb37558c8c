import { Effect, Layer } from "effect"
import { ChannelAccounts } from "../../domain/channels/channel-accounts/ChannelAccounts.ts"
import { repeatPeriodically } from "../../jobs/loop.ts"
import { makeExpireOrdersAndOffers } from "./expiration.ts"
import { Marketplace } from "./Marketplace.ts"
import { SandboxAccess } from "./SandboxAccess.ts"
import { SandboxAccounts } from "./SandboxAccounts.ts"
import { SandboxConnector } from "./SandboxConnector.ts"
import { SandboxOutbox } from "./SandboxOutbox.ts"
import { SandboxQueries } from "./SandboxQueries.ts"
import { SandboxRepository } from "./SandboxRepository.ts"

/** Milliseconds between two looks for what is to be told and for what has timed out. */
const SANDBOX_POLL_MS = 1_000

/** Turns one after the other while there is much to tell: then others have theirs. */
const MAX_BATCHES_PER_POLL = 20

/** The marketplace, for the service, for guests and for what it says by itself. */
export const layerSandbox = Layer.mergeAll(SandboxConnector.layer, Marketplace.layer).pipe(
  Layer.provideMerge(SandboxQueries.layer),
  Layer.provideMerge(Layer.mergeAll(SandboxRepository.layer, SandboxAccounts.layer, SandboxOutbox.layer)),
  Layer.provide(ChannelAccounts.layer)
)

/** What the marketplace does by itself for as long as the process runs: it says what it has to say, and lets orders time out. */
const runSandboxWorkers = Effect.gen(function* () {
  const { isAllowed } = yield* SandboxAccess
  const { processBatch } = yield* SandboxOutbox
  const expire = yield* makeExpireOrdersAndOffers
  const processBatches = (left: number): Effect.Effect<void> =>
    Effect.flatMap(processBatch, (more) => (more && left > 1 ? processBatches(left - 1) : Effect.void))
  const ifAllowed = (work: Effect.Effect<unknown>) => () =>
    Effect.flatMap(isAllowed, (allowed) => (allowed ? Effect.asVoid(work) : Effect.void))
  yield* repeatPeriodically("sending sandbox events", SANDBOX_POLL_MS, ifAllowed(processBatches(MAX_BATCHES_PER_POLL)))
  yield* repeatPeriodically("expiring sandbox requests", SANDBOX_POLL_MS, ifAllowed(expire))
})

export const layerSandboxWorkers = Layer.effectDiscard(runSandboxWorkers)
