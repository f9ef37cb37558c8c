import { Clock, Context, Effect, Layer, Option } from "effect"
import type { Caller, GateError } from "../contract/caller.ts"
import { RateLimited } from "../contract/errors.ts"
import type { CallLimits } from "../contract/operation.ts"
import { tokenOf } from "./credentials.ts"
import { invalidToken, isEnded, refusalOf } from "./entitlement.ts"
import { type KnownToken, TOKEN_TRUSTED_MS, Tokens } from "./Tokens.ts"
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
  /**
   * To be run before an answer that may have taken long is given: fails as `enter` would when the token, its account or the
   * subscription has ended since. Counts in no window, and asks nothing in the first {@link TOKEN_TRUSTED_MS}.
   */
  readonly stillEntitled: Effect.Effect<void, GateError>
}

/** A call that was not let in. */
export interface TurnedAway {
  readonly error: GateError
  /** Whose token it came with, also where that works no longer; undefined: it never was one. */
  readonly by: Caller | undefined
}

/**
 * Who may call, and how often. The order of the checks is the specification's: token (401), subscription (420), scope
 * (401), windows and quota (429); a call refused earlier is not counted later.
 */
export class Gate extends Context.Service<
  Gate,
  {
    readonly enter: (approach: Approach) => Effect.Effect<LetIn, TurnedAway>
    /** Whether the headers carry a token that is good for something, even if its account is banned or lapsed. */
    readonly knows: (headers: Headers) => Effect.Effect<boolean>
  }
>()("latchkey/gate/Gate") {
  static readonly layer = Layer.effect(
    Gate,
    Effect.gen(function* () {
      const tokens = yield* Tokens
      const windows = yield* RateWindows

      const identify = Effect.fnUntraced(function* (headers: Headers): Effect.fn.Return<KnownToken, TurnedAway> {
        const token = tokenOf(headers)
        const known = token === undefined ? undefined : yield* tokens.lookup(token)
        return known === undefined || isEnded(known) ? yield* turnAway(invalidToken(), known) : known
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
          return yield* turnAway(new RateLimited({ message: refusalMessage(admission), headers }), token)
        }
        const failedWith = (errorCode: number) =>
          countsAsInvalid(errorCode) ? windows.count(buckets.invalid) : Effect.void
        return { caller: token, headers, failedWith }
      })

      const entitled = Effect.fnUntraced(function* ({ headers, read }: Approach) {
        const token = yield* identify(headers)
        const now = yield* Clock.currentTimeMillis
        const refusal = refusalOf(token, { read, now })
        return Option.isSome(refusal) ? yield* turnAway(refusal.value, token) : { token, now }
      })

      const stillEntitled = Effect.fnUntraced(function* (approach: Approach, since: number) {
        if ((yield* Clock.currentTimeMillis) - since < TOKEN_TRUSTED_MS) return
        yield* Effect.mapError(entitled(approach), ({ error }) => error)
      })

      const enter = Effect.fnUntraced(
        function* (approach: Approach): Effect.fn.Return<LetIn, TurnedAway> {
          const { token, now } = yield* entitled(approach)
          return { ...(yield* admit(approach, token)), stillEntitled: stillEntitled(approach, now) }
        },
        Effect.withSpan("gate", {}, { captureStackTrace: false })
      )

      return Gate.of({ enter, knows: (headers) => Effect.isSuccess(identify(headers)) })
    })
  )
}

const turnAway = (error: GateError, by: Caller | undefined): Effect.Effect<never, TurnedAway> =>
  Effect.fail({ error, by })
