import { Context, Effect, Layer, Option } from "effect"
import type { Caller, GateError, TrustedAccount } from "../../contract/caller.ts"
import { RateLimited, type ServerError } from "../../contract/errors.ts"
import type { CallLimits } from "../../contract/operation.ts"
import { Deployment, type DeploymentName } from "../../platform/installation.ts"
import { withChildSpan } from "../../platform/telemetry/spans.ts"
import { countsAsInvalid, countsAsUnsent } from "../windows/call-buckets.ts"
import { RateWindows } from "../windows/RateWindows.ts"
import { rateLimitHeaders, rateLimitMessage } from "../windows/rate-limit-response.ts"
import { makeBucketCache } from "./bucket-cache.ts"
import { readToken } from "./credentials.ts"
import { type StoredToken, TOKEN_TRUSTED_MS, Tokens } from "./Tokens.ts"
import { TokenUseRecorder } from "./TokenUseRecorder.ts"
import { accessError, invalidTokenError, isInvalidToken } from "./token-access.ts"

type Headers = Readonly<Record<string, string | undefined>>

export interface GateRequest {
  /** Method and path template below /v3, or `unmatched`. */
  readonly route: string
  readonly isRead: boolean
  readonly limits?: CallLimits | undefined
  /** Conversation to which the call sends a message. It has its own windows. */
  readonly conversationId?: string | undefined
  readonly headers: Headers
  /** Returns the overload error that any call of the operator would get now. */
  readonly overloadError?: (operatorId: number) => ServerError | undefined
  /** An account that the transport has authenticated. Its calls count in no rate-limit window. */
  readonly trustedAccount?: TrustedAccount | undefined
  readonly worksWhenSuspended?: boolean
}

export interface AdmittedCall {
  readonly caller: Caller
  readonly headers: Readonly<Record<string, string>>
  /**
   * Run it with the error_code of a failed call. 400 and 404 count towards layer 4 (call-buckets.ts). A message that
   * was not sent counts in no window of its conversation.
   */
  readonly countFailure: (errorCode: number) => Effect.Effect<void>
  /** Run it if the call got no permit. */
  readonly uncountCall: Effect.Effect<void>
  /** Run it for a replayed message. */
  readonly uncountMessage: Effect.Effect<void>
  /**
   * Run it before a slow response. Fails as `admit` does if the token or its account has lost access since. Makes no
   * query in the first {@link TOKEN_TRUSTED_MS}.
   */
  readonly recheckAccess: Effect.Effect<void, GateError>
}

export interface RejectedCall {
  readonly error: GateError | ServerError
  /** Owner of the token, even if the token no longer works. */
  readonly caller: Caller | undefined
}

interface UnauthorizedCall extends RejectedCall {
  readonly error: GateError
}

/**
 * The order is that of the specification: token (401), subscription (420), scope (401), windows and quota (429).
 * Overload (500) is checked before the windows, so that a rejected call uses up nothing.
 */
export class Gate extends Context.Service<
  Gate,
  {
    readonly admit: (request: GateRequest) => Effect.Effect<AdmittedCall, RejectedCall>
    /** Also returns the caller of a banned or lapsed account. Returns undefined for an invalid token. */
    readonly findCaller: (headers: Headers) => Effect.Effect<Caller | undefined>
  }
>()("latchkey/admission/gate/Gate") {
  static readonly layer = Layer.effect(
    Gate,
    Effect.gen(function* () {
      const tokens = yield* Tokens
      const windows = yield* RateWindows
      const deployment = yield* Deployment
      const recordUse = yield* TokenUseRecorder

      const buckets = makeBucketCache()

      const authenticate = makeAuthenticate(tokens, deployment)

      const authorize = ({ headers, isRead }: GateRequest): Effect.Effect<AuthorizedToken, UnauthorizedCall> =>
        Effect.flatMap(authenticate(headers), (token) =>
          Effect.clockWith((clock) => {
            const now = clock.currentTimeMillisUnsafe()
            const error = accessError(token, { isRead, now })
            return Option.isSome(error) ? reject(error.value, token) : Effect.succeed({ token, now })
          })
        )

      const recheckAccess = (request: GateRequest, startedAt: number): Effect.Effect<void, GateError> =>
        Effect.clockWith((clock) =>
          clock.currentTimeMillisUnsafe() - startedAt < TOKEN_TRUSTED_MS
            ? Effect.void
            : Effect.mapError(Effect.asVoid(authorize(request)), ({ error }) => error)
        )

      const rateLimit = (
        request: GateRequest,
        { token, now }: AuthorizedToken
      ): Effect.Effect<AdmittedCall, RejectedCall> => {
        recordUse(token, now)
        const overload = request.overloadError?.(token.operatorId)
        if (overload !== undefined) return reject(overload, token)
        const { call, conversation, invalid } = buckets.get(token, request)
        return Effect.flatMap(windows.admit(call, invalid), (admission) => {
          const headers = rateLimitHeaders(admission)
          if (admission._tag === "Refused") {
            return reject(new RateLimited({ message: rateLimitMessage(admission), headers }), token)
          }
          const uncountMessage = conversation.length === 0 ? Effect.void : windows.giveBack(conversation, admission.at)
          return Effect.succeed({
            caller: token,
            headers,
            countFailure: (errorCode: number) =>
              Effect.andThen(
                countsAsInvalid(errorCode) ? windows.count(invalid) : Effect.void,
                countsAsUnsent(errorCode) ? uncountMessage : Effect.void
              ),
            uncountCall: windows.giveBack(call, admission.at),
            uncountMessage,
            recheckAccess: recheckAccess(request, now)
          })
        })
      }

      const inGateSpan = withChildSpan("gate")
      return Gate.of({
        admit: (request) =>
          request.trustedAccount === undefined
            ? inGateSpan(Effect.flatMap(authorize(request), (authorized) => rateLimit(request, authorized)))
            : admitTrustedAccount(request.trustedAccount, request),
        findCaller: (headers) => Effect.orElseSucceed(authenticate(headers), () => undefined)
      })
    })
  )
}

const makeAuthenticate =
  (tokens: Tokens["Service"], deployment: DeploymentName) =>
  (headers: Headers): Effect.Effect<StoredToken, UnauthorizedCall> => {
    const token = readToken(headers)
    if (token === undefined) return reject(invalidTokenError(), undefined)
    return Effect.flatMap(tokens.lookup(token), (storedToken) =>
      Effect.clockWith((clock) =>
        storedToken === undefined || isInvalidToken(storedToken, { now: clock.currentTimeMillisUnsafe(), deployment })
          ? reject(invalidTokenError(), storedToken)
          : Effect.succeed(storedToken)
      )
    )
  }

const admitTrustedAccount = (
  person: TrustedAccount,
  { isRead, worksWhenSuspended }: Pick<GateRequest, "isRead" | "worksWhenSuspended">
): Effect.Effect<AdmittedCall, RejectedCall> =>
  Effect.clockWith((clock) => {
    const account = { ...person.caller, status: person.status, subscriptionUntil: person.subscriptionUntil }
    const error =
      worksWhenSuspended === true
        ? Option.none()
        : accessError(account, { isRead, now: clock.currentTimeMillisUnsafe() })
    return Option.isSome(error)
      ? reject(error.value, person.caller)
      : Effect.succeed({
          caller: person.caller,
          headers: {},
          countFailure: () => Effect.void,
          uncountCall: Effect.void,
          uncountMessage: Effect.void,
          recheckAccess: Effect.void
        })
  })

interface AuthorizedToken {
  readonly token: StoredToken
  readonly now: number
}

const reject = <E extends GateError | ServerError>(error: E, caller: Caller | undefined) =>
  Effect.fail({ error, caller })
