import { Context, Effect, Schema } from "effect"
import { makeDecoder } from "../../contract/decoder.ts"
import { type BadRequest, ValidationFailed } from "../../contract/errors.ts"
import { Id, textUpTo } from "../../contract/fields.ts"
import { clearAfterReset } from "../../platform/database/ResetListeners.ts"
import { LISTING_TEXT_LENGTH } from "../../platform/limits.ts"
import { SandboxChannel } from "./channel-profiles.ts"
import type { FailureMode, SandboxAccount } from "./rows.ts"

/** Failures that wait for their call. */
export const NEXT_FAILURES_MAX = 100

const DEFAULT_REASON = "the channel rejects it"

/** `refuses` fails the next change, the others the next call. Without a channel and an operator, a call of any account. */
const NextFailureRequest = Schema.Struct({
  failure: Schema.optionalKey(Schema.Literals(["refuses", "502", "503", "disconnected"])),
  reason: Schema.optionalKey(textUpTo(LISTING_TEXT_LENGTH)),
  channel_type: Schema.optionalKey(SandboxChannel),
  operator_id: Schema.optionalKey(Id)
})
type NextFailureRequest = typeof NextFailureRequest.Type

interface NextFailure {
  readonly failure: NonNullable<NextFailureRequest["failure"]>
  readonly reason: string
  readonly channel_type: SandboxChannel | null
  readonly operator_id: number | null
}

const decodeRequest = makeDecoder(NextFailureRequest)

const limitError = new ValidationFailed({
  message: `failure: at most ${NEXT_FAILURES_MAX} failures can wait for their call.`
})

type CallFacts = Readonly<{ isChange: boolean }>

const matches = (
  { failure, channel_type, operator_id }: NextFailure,
  account: SandboxAccount,
  { isChange }: CallFacts
): boolean =>
  (isChange || failure !== "refuses") &&
  (channel_type === null || channel_type === account.channel_type) &&
  (operator_id === null || operator_id === account.operator_id)

/** Failures of single calls, which a test server asks for. */
export const NextFailures = Context.Reference<{
  /** The next call that matches fails. Each failure is used once, in order. */
  readonly add: (input: unknown) => Effect.Effect<NextFailure, BadRequest | ValidationFailed>
  /** Returns and removes the failure of this call, undefined if there is none. */
  readonly take: (account: SandboxAccount, call: CallFacts) => Effect.Effect<FailureMode | undefined>
}>("latchkey/connectors/sandbox/NextFailures", {
  defaultValue: () => ({
    add: () => Effect.die(new Error("only a test server has failures of single calls")),
    take: () => Effect.succeed(undefined)
  })
})

export const makeNextFailures = Effect.gen(function* () {
  const waiting: Array<NextFailure> = []
  yield* clearAfterReset(Effect.sync(() => waiting.splice(0)))
  return NextFailures.of({
    add: Effect.fnUntraced(function* (input) {
      const { failure = "503", reason = DEFAULT_REASON, channel_type, operator_id } = yield* decodeRequest(input)
      if (waiting.length >= NEXT_FAILURES_MAX) return yield* limitError
      const added = { failure, reason, channel_type: channel_type ?? null, operator_id: operator_id ?? null }
      waiting.push(added)
      return added
    }),
    take: (account, call) =>
      Effect.sync(() => {
        const index = waiting.findIndex((each) => matches(each, account, call))
        const [next] = index < 0 ? [] : waiting.splice(index, 1)
        return next && { mood: next.failure, mood_ms: 0, mood_reason: next.reason }
      })
  })
})
