import { Context } from "effect"

/** In place of the id of a grant, for a call that comes by no OAuth connection. */
export const NO_GRANT = 0

/** The key a change is made under, and how far this call has come with it. */
export interface IdempotencyKeyState {
  readonly operatorId: number
  /** Of the key itself, which is kept nowhere. */
  readonly digest: Uint8Array
  /** Of the operation and its input. */
  readonly fingerprint: Uint8Array
  /** The grant of the OAuth connection that the call comes by; {@link NO_GRANT}: it comes by none. */
  readonly grantId: number
  /**
   * Whether an earlier call with this key may have acted outside: until it is known whether it did, nothing may be refused
   * and nothing done (changes/external-action.ts).
   */
  isResuming: boolean
  /**
   * `none`: nothing is written down. `claimed`: an act outside is, and this call has none under way now. `acting`: it has, or
   * cannot know that it is over. `kept`: what came of the change is written down, with the change. `unneeded`: the answer is a
   * record as it is now, whatever the key.
   */
  progress: "none" | "claimed" | "acting" | "kept" | "unneeded"
  /** Until when nobody may take over what this call has claimed, which also tells its claim from another's. */
  claimedUntil: Date | undefined
}

/** Who changes something, as the trail tells it, and under which key. */
export interface Actor {
  /** Null: nobody's account. */
  readonly accountId: number | null
  /** The token's or client's name, or the part of the service that acts by itself. */
  readonly application: string
  readonly operation: string
  readonly requestId: string | null
  readonly idempotencyKey: IdempotencyKeyState | undefined
}

/** Who is acting; whatever changes something for an operator is asked for it. */
export class CurrentActor extends Context.Service<CurrentActor, Actor>()("latchkey/contract/CurrentActor") {}

/** The service itself, or who runs it, acting by a part of it such as the command line. */
export const systemActor = (application: string, operation: string): Actor => ({
  accountId: null,
  application,
  operation,
  requestId: null,
  idempotencyKey: undefined
})
