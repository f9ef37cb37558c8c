import { Clock, Context, Effect, Layer, Option } from "effect"
import type { Caller, GateError } from "../contract/caller.ts"
import { RateLimited } from "../contract/errors.ts"
import type { CallLimits } from "../contract/operation.ts"
import { tokenOf } from "./credentials.ts"
import { invalidToken, refusalOf } from "./entitlement.ts"
import { type KnownToken, Tokens } from "./Tokens.ts"
import { bucketsOf, countsAsInvalid } from "./windows/limit-table.ts"
import { rateLimitHeaders, refusalMessage } from "./windows/messages.ts"
import { RateWindows } from "./windows/RateWindows.ts"

type Headers = Readonly<Record<string, string | undefined>>

/** What the Gate looks at of a call. */
export interface Approach {
  /** Method and path template below /v3, or `unmatched`. */
  readonly route: string
  /** Whether it changes nothing. */
  readonly read: boolean
  /** The route's own limits, where they are not the ordinary ones. */
  readonly limits?: CallLimits | undefined
  /** Of a message: the conversation it goes to, which has windows of its own. */
  readonly conversationId?: string | undefined
  readonly headers: Headers
}

/** A call that was let in. */
export interface LetIn {
  readonly caller: Caller
  /** Rate-limit fields of the answer. */
  readonly headers: Readonly<Record<string, string>>
  /** To be run with the error_code of an answer that is one: a call that could not succeed as sent counts towards layer 4. */
  readonly failedWith: (errorCode: number) => Effect.Effect<void>
}

/**
 * Who may call, and how often. The order of the checks is the specification's: token (401), subscription (420), scope
 * (401), windows and quota (429); a call refused earlier is not counted later.
 */
export class Gate extends Context.Service<
  Gate,
  {
    readonly enter: (approach: Approach) => Effect.Effect<LetIn, GateError>
    /** Whether the headers carry a token that is known, whatever its account's state. */
    readonly knows: (headers: Headers) => Effect.Effect<boolean>
  }
>()("latchkey/gate/Gate") {
  static readonly layer = Layer.effect(
    Gate,
    Effect.gen(function* () {
      const tokens = yield* Tokens
      const windows = yield* RateWindows

      const identify = Effect.fnUntraced(function* (headers: Headers) {
        const token = tokenOf(headers)
        const known = token === undefined ? undefined : yield* tokens.lookup(token)
        return known === undefined ? yield* invalidToken() : known
      })

      const admit = Effect.fnUntraced(function* (approach: Approach, token: KnownToken) {
        const buckets = bucketsOf({
          operatorId: token.operatorId,
          tokenId: token.tokenId,
          route: approach.route,
          limits: approach.limits,
          conversationId: approach.conversationId,
          tokenLimits: token.tokenLimits ?? undefined,
          overrides: token.overrides ?? undefined
        })
        const admission = yield* windows.admit(buckets.call, buckets.invalid)
        const headers = rateLimitHeaders(admission)
        if (admission._tag === "Refused") {
          return yield* new RateLimited({ message: refusalMessage(admission), headers })
        }
        const failedWith = (errorCode: number) =>
          countsAsInvalid(errorCode) ? windows.count(buckets.invalid) : Effect.void
        return { caller: token, headers, failedWith }
      })

      const enter = Effect.fnUntraced(
        function* (approach: Approach): Effect.fn.Return<LetIn, GateError> {
          const token = yield* identify(approach.headers)
          const now = yield* Clock.currentTimeMillis
          const refusal = refusalOf(token, { read: approach.read, now })
          return Option.isSome(refusal) ? yield* refusal.value : yield* admit(approach, token)
        },
        Effect.withSpan("gate", {}, { captureStackTrace: false })
      )

      return Gate.of({ enter, knows: (headers) => Effect.isSuccess(identify(headers)) })
    })
  )
}
