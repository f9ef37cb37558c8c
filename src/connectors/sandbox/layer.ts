import { Effect, Layer } from "effect"
import { ChannelAccounts } from "../../domain/channels/channel-accounts/ChannelAccounts.ts"
import { periodically } from "../../jobs/loop.ts"
import { Accounts } from "./Accounts.ts"
import { Books } from "./Books.ts"
import { Sandbox } from "./connector.ts"
import { makeExpiring } from "./expiring.ts"
import { Marketplace } from "./Marketplace.ts"
import { SandboxAllowed } from "./SandboxAllowed.ts"
import { Seeing } from "./Seeing.ts"
import { Telling } from "./Telling.ts"

/** Milliseconds between two looks for what is to be told and for what has timed out. */
export const SANDBOX_POLL_MS = 1_000

/** Turns one after the other while there is much to tell: then others have theirs. */
const TURNS_AT_ONCE = 20

/** The marketplace, for the service, for guests and for what it says by itself. */
export const layerSandbox = Layer.mergeAll(Sandbox.layer, Marketplace.layer).pipe(
  Layer.provideMerge(Seeing.layer),
  Layer.provideMerge(Layer.mergeAll(Books.layer, Accounts.layer, Telling.layer)),
  Layer.provide(ChannelAccounts.layer)
)

/** What the marketplace does by itself for as long as the process runs: it says what it has to say, and lets orders time out. */
export const workingSandbox = Effect.gen(function* () {
  const { allowed } = yield* SandboxAllowed
  const { turn } = yield* Telling
  const expire = yield* makeExpiring
  const turns = (left: number): Effect.Effect<void> =>
    Effect.flatMap(turn, (more) => (more && left > 1 ? turns(left - 1) : Effect.void))
  const whereAllowed = (work: Effect.Effect<unknown>) => () =>
    Effect.flatMap(allowed, (isAllowed) => (isAllowed ? Effect.asVoid(work) : Effect.void))
  yield* periodically("sending sandbox events", SANDBOX_POLL_MS, whereAllowed(turns(TURNS_AT_ONCE)))
  yield* periodically("expiring sandbox requests", SANDBOX_POLL_MS, whereAllowed(expire))
})

export const layerSandboxAtWork = Layer.effectDiscard(workingSandbox)
