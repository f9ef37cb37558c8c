import { Context } from "effect"

export const NO_GRANT = 0

export interface IdempotencyKeyState {
  readonly operatorId: number
  readonly digest: Uint8Array
  /** Digest of the operation and its input. */
  readonly fingerprint: Uint8Array
  readonly grantId: number
  /**
   * Whether an earlier call with this key may have performed an external action, which no rollback can undo. Until its
   * outcome is known, this call does not perform the action. Domain errors become `outcomeUnknownError`.
   */
  isResuming: boolean
  /**
   * `claimed`: the claim of an external action is stored, and the action is not running. `acting`: the action may be
   * running. `kept`: the outcome is stored with the change. `unneeded`: no outcome is stored, because the response is
   * the record's current state.
   */
  progress: "none" | "claimed" | "acting" | "kept" | "unneeded"
  /** End of the claim, which also identifies it. Until then no other call may take the claim over. */
  claimedUntil: Date | undefined
}

export interface Actor {
  readonly accountId: number | null
  /** Name of the token or client, or of the part of the service that acts automatically. */
  readonly application: string
  readonly operation: string
  readonly requestId: string | null
  readonly idempotencyKey: IdempotencyKeyState | undefined
}

export class CurrentActor extends Context.Service<CurrentActor, Actor>()("latchkey/contract/CurrentActor") {}

export const systemActor = (application: string, operation: string): Actor => ({
  accountId: null,
  application,
  operation,
  requestId: null,
  idempotencyKey: undefined
})
