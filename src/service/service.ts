import { Cause, Clock, Context, Effect, Exit, identity, Layer, Option, type Schema, Struct } from "effect"
import { AnonymousLimiter, ConcurrencyLimiter, isPermitRejection } from "../admission/concurrency/ConcurrencyLimiter.ts"
import { type AdmittedCall, Gate, type RejectedCall } from "../admission/gate/Gate.ts"
import { makeGateRequest } from "../admission/gate/gate-request.ts"
import { RecentRejections } from "../admission/gate/recent-rejections.ts"
import { UNMATCHED_ROUTE } from "../admission/windows/call-buckets.ts"
import { FailedCallCounter } from "../changes/FailedCallCounter.ts"
import { IdempotencyKeys } from "../changes/IdempotencyKeys.ts"
import { type IdempotentResult, runIdempotently } from "../changes/idempotency.ts"
import { type Actor, CurrentActor, systemActor } from "../contract/actor.ts"
import { type Caller, CurrentCaller, type TrustedAccount } from "../contract/caller.ts"
import { anonymousPermitHolder, CallerAddress } from "../contract/caller-address.ts"
import { failureEnvelope, newRequestId, type ServiceResponse, successEnvelope } from "../contract/envelope.ts"
import {
  type ApiError,
  type BadRequest,
  errorCode,
  NotFound,
  ServerError,
  type Unauthenticated
} from "../contract/errors.ts"
import { parseIdempotencyKey, REPLAYED_HEADER, type ReceivedIdempotencyKey } from "../contract/idempotency-key.ts"
import type { ReceivedInput } from "../contract/input.ts"
import { isChange, needsToken } from "../contract/operation.ts"
import { type CallReader, callReader, type ParsedCall } from "../domain/operation-handlers.ts"
import { WakeUp } from "../jobs/WakeUp.ts"
import { clearAfterReset } from "../platform/database/ResetListeners.ts"
import { isStatementTimeout } from "../platform/database/statement-timeout.ts"
import { findStorageFailure, logStorageFailure } from "../platform/database/storage-failure.ts"
import { isReadOnlyError, WriteAccess } from "../platform/database/WriteAccess.ts"
import { BUSY_RETRY_SECONDS } from "../platform/limits.ts"
import { type CallMeasurement, makeCallRecorder } from "../platform/telemetry/metrics/call-metrics.ts"
import { annotateSpan, withChildSpan, withRootSpan } from "../platform/telemetry/spans.ts"
import { parseTraceparent } from "../platform/telemetry/traceparent.ts"
import { Api, type ApiOperation, consoleOperations, type OperationName } from "./Api.ts"

export interface ServiceCall {
  /** Only for the log line and the span. */
  readonly transport: "rest" | "mcp" | "console" | "command-line"
  /** Already authenticated by the transport. The gate then checks no token. */
  readonly trustedAccount?: TrustedAccount
  /** Calls without a token share concurrency permits by network. */
  readonly address?: string | undefined
  /** Lower-case names. Only the gate reads credentials from them. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** Path parameters (REST, as text) or all arguments (MCP), known before the body is read. */
  readonly params: Readonly<Record<string, unknown>>
  /** Ignored by operations that only read. */
  readonly idempotencyKey?: ReceivedIdempotencyKey | undefined
  /** Runs after the gate has admitted the call. Receives the rest of the input. */
  readonly receive: Effect.Effect<ReceivedInput, BadRequest | Unauthenticated>
}

/** The entry point of all transports. It never fails: every failure becomes an envelope. */
export class Service extends Context.Service<
  Service,
  {
    readonly call: (operation: string, call: ServiceCall) => Effect.Effect<ServiceResponse>
    /**
     * Responds to a request without an operation (unknown route, plain HTTP, wrong method). With a valid token it
     * counts in the rate-limit window of unmatched paths, unless `error` rejects it for overload.
     */
    readonly respondWithError: (
      error: ApiError,
      call: Pick<ServiceCall, "transport" | "headers">
    ) => Effect.Effect<ServiceResponse>
    /** Returns undefined for invalid credentials. */
    readonly findCaller: (
      headers: ServiceCall["headers"]
    ) => Effect.Effect<Pick<Caller, "operatorId" | "scope"> | undefined>
    /**
     * Rejects the call if its token was rejected for overload just now and the overload continues. This is much cheaper
     * than the gate.
     */
    readonly rejectIfStillOverloaded: (headers: ServiceCall["headers"]) => ServiceResponse | undefined
  }
>()("latchkey/service/Service") {
  static readonly layerNoDeps = Layer.effect(
    Service,
    Effect.gen(function* () {
      const gate = yield* Gate
      const [limiter, anonymousLimiter] = [yield* ConcurrencyLimiter, yield* AnonymousLimiter]
      const idempotencyKeys = yield* IdempotencyKeys
      const failedCallCounter = yield* FailedCallCounter
      const clock = yield* Clock.Clock
      const { wake } = yield* WakeUp
      const recentRejections = new RecentRejections()
      yield* clearAfterReset(Effect.sync(() => recentRejections.clear()))
      const runners = new Map<string, CallRunner>()
      const measures = new Map<string, CallObservers["measure"]>()
      // Names that callers make up must not become metric labels.
      const unmatchedObservers: CallObservers = { failedCallCounter, measure: makeCallRecorder(UNMATCHED_ROUTE) }
      const observersOf = (name: string): CallObservers => ({
        failedCallCounter,
        measure: measures.get(name) ?? unmatchedObservers.measure
      })
      for (const name of operationNames) {
        measures.set(name, makeCallRecorder(name))
        const [operation, read] = [Api[name], yield* callReader(name)]
        const callServices = { gate, limiter, idempotencyKeys, wakeWorkers: wake, recentRejections }
        const run = needsToken(operation)
          ? makeRunner(operation, read, callServices)
          : makeAnonymousRunner(operation, read, { limiter: anonymousLimiter, wakeWorkers: wake })
        runners.set(name, run)
      }

      return Service.of({
        call: (name, call) => {
          const run = call.trustedAccount === undefined && consoleOnlyNames.has(name) ? undefined : runners.get(name)
          return respond(observersOf(name), name, call, (requestId) =>
            run === undefined ? Effect.succeed(unknownOperationOutcome) : run(call, requestId)
          )
        },
        respondWithError: (error, call) =>
          respond(unmatchedObservers, UNMATCHED_ROUTE, call, () => respondUnmatched(gate, error, call.headers)),
        findCaller: gate.findCaller,
        rejectIfStillOverloaded: (headers) => {
          const caller = recentRejections.find(headers, clock.currentTimeMillisUnsafe())
          const error = caller && limiter.findRejection(caller.operatorId)
          if (error === undefined) return undefined
          const envelope = failureEnvelope(newRequestId(clock.currentTimeMillisUnsafe()), error)
          return { envelope, headers: errorHeaders(error), error }
        }
      })
    })
  )

  static readonly layer = Layer.provide(this.layerNoDeps, AnonymousLimiter.layer)
}

/** Callers with a token get 404 for these operations. */
const consoleOnlyNames: ReadonlySet<string> = new Set(consoleOperations.map(({ _tag }) => _tag))

// `callReader` requires a handler of each name, so a family without its layer does not compile.
const operationNames: ReadonlyArray<OperationName> = Struct.keys(Api)

interface CallOutcome {
  readonly exit: Exit.Exit<Schema.Json, ApiError>
  readonly headers: ServiceResponse["headers"]
  readonly caller: Caller | undefined
}

const unknownOperationOutcome: CallOutcome = {
  exit: Exit.fail(new NotFound({ message: "No such operation." })),
  headers: {},
  caller: undefined
}

const errorHeaders = (error: ApiError): ServiceResponse["headers"] => {
  if (error._tag === "RateLimited") return error.headers
  return "retryAfter" in error && error.retryAfter !== undefined ? { "retry-after": String(error.retryAfter) } : {}
}

type CallRunner = (call: ServiceCall, requestId: string) => Effect.Effect<CallOutcome>

interface CallServices {
  readonly gate: Gate["Service"]
  readonly limiter: ConcurrencyLimiter["Service"]
  readonly idempotencyKeys: IdempotencyKeys["Service"]
  readonly wakeWorkers: Effect.Effect<void>
  readonly recentRejections: RecentRejections
}

/** Wakes the workers unless the change failed with an API error. An interrupted change may have been committed. */
const wakeWorkersAfter =
  (wake: Effect.Effect<void>) =>
  <A, R>(change: Effect.Effect<A, ApiError, R>): Effect.Effect<A, ApiError, R> =>
    Effect.onExit(change, (exit) => (Option.isSome(Exit.findErrorOption(exit)) ? Effect.void : wake))

const rejectWhileReadOnly = <A, R>(change: Effect.Effect<A, ApiError, R>): Effect.Effect<A, ApiError, R> =>
  Effect.flatMap(WriteAccess, ({ rejectionMessage }): Effect.Effect<A, ApiError, R> => {
    const message = rejectionMessage()
    return message === undefined ? change : new ServerError({ message, retryAfter: BUSY_RETRY_SECONDS })
  })

/** Uses no generators, because one would be created for each call. */
const makeRunner = (
  operation: ApiOperation,
  read: CallReader,
  { gate, limiter, idempotencyKeys, wakeWorkers: wake, recentRejections }: CallServices
): CallRunner => {
  const toGateRequest = makeGateRequest(operation)
  const wakeWorkers = isChange(operation) ? wakeWorkersAfter(wake) : identity
  const guardWrite = isChange(operation) ? rejectWhileReadOnly : identity
  const withHandlerSpan = withChildSpan("handler", { "latchkey.operation": operation._tag })
  const readIdempotencyKey = (call: ServiceCall) =>
    call.idempotencyKey === undefined || !isChange(operation)
      ? NO_KEY
      : Effect.fromResult(parseIdempotencyKey(call.idempotencyKey))

  // Acquires the permit after the input has arrived, so that a slow sender holds none. Parsing needs the permit,
  // because an invalid input costs as much time as a valid one.
  const runWithPermit = (call: ServiceCall, caller: Caller, actor: Actor) =>
    Effect.flatMap(readIdempotencyKey(call), (idempotencyKey) =>
      Effect.flatMap(call.receive, ({ bytes, parse }) => {
        const work = Effect.flatMap(parse, (input) =>
          Effect.flatMap(read(input, call.params), (parsedCall) =>
            withHandlerSpan(wakeWorkers(runHandler(idempotencyKeys, parsedCall, actor, caller, idempotencyKey)))
          )
        )
        return limiter.withPermit(caller.operatorId, work, bytes)
      })
    )

  const runAdmitted = (call: ServiceCall, requestId: string, admission: AdmittedCall) => {
    const { caller, headers, countFailure, uncountCall, uncountMessage, recheckAccess } = admission
    const { accountId, tokenName: application } = caller
    const actor: Actor = call.trustedAccount?.actor ?? {
      accountId,
      application,
      operation: operation._tag,
      requestId,
      idempotencyKey: undefined
    }
    const work = guardWrite(runWithPermit(call, caller, actor))
    // The result of a read is returned only if the caller still has access. A change has been made, so its result is
    // always returned.
    const response = isChange(operation) ? work : Effect.tap(work, () => recheckAccess)
    return Effect.matchCauseEffect(Effect.updateContext(response, provideCaller(caller, actor)), {
      onSuccess: ({ result, replayed }) => {
        const exit = Exit.succeed(result)
        return replayed
          ? Effect.as(uncountMessage, { exit, headers: { ...headers, [REPLAYED_HEADER]: "true" }, caller })
          : Effect.succeed<CallOutcome>({ exit, headers, caller })
      },
      onFailure: (cause) => {
        const outcome: CallOutcome = { exit: Exit.failCause(cause), headers, caller }
        const error = Cause.findErrorOption(cause)
        if (Option.isSome(error) && isPermitRejection(error.value))
          return Effect.as(uncountCall, { ...outcome, headers: {} })
        return Option.isSome(error) ? Effect.as(countFailure(errorCode(error.value)), outcome) : Effect.succeed(outcome)
      }
    })
  }

  return (call, requestId) =>
    Effect.matchCauseEffect(gate.admit({ ...toGateRequest(call), overloadError: limiter.findRejection }), {
      onSuccess: (admission) => runAdmitted(call, requestId, admission),
      onFailure: (cause) => {
        const outcome = toRejectedOutcome(cause)
        const isOverloaded =
          outcome.caller !== undefined && isPermitRejection(Option.getOrUndefined(Cause.findErrorOption(cause))?.error)
        return isOverloaded
          ? Effect.as(rememberRejection(recentRejections, call, outcome.caller), outcome)
          : Effect.succeed(outcome)
      }
    })
}

const runHandler = (
  keys: IdempotencyKeys["Service"],
  { run, change }: ParsedCall,
  actor: Actor,
  caller: Caller,
  idempotencyKey: string | undefined
) =>
  idempotencyKey === undefined || change === undefined
    ? Effect.map(run, toNewResult)
    : runIdempotently(keys, change, actor, { caller, keyText: idempotencyKey })

const rememberRejection = (
  recentRejections: RecentRejections,
  { headers }: ServiceCall,
  caller: Caller
): Effect.Effect<void> =>
  Effect.clockWith((clock) =>
    Effect.sync(() => recentRejections.record(headers, caller, clock.currentTimeMillisUnsafe()))
  )

/** Ignores an idempotency key, because a key belongs to an operator and the call has none. */
const makeAnonymousRunner = (
  operation: ApiOperation,
  read: CallReader,
  { limiter, wakeWorkers: wake }: Pick<CallServices, "limiter" | "wakeWorkers">
): CallRunner => {
  const wakeWorkers = isChange(operation) ? wakeWorkersAfter(wake) : identity
  const guardWrite = isChange(operation) ? rejectWhileReadOnly : identity
  const withHandlerSpan = withChildSpan("handler", { "latchkey.operation": operation._tag })
  return (call, requestId) => {
    const actor: Actor = { ...systemActor("Latchkey", operation._tag), requestId }
    const received = Effect.andThen(read.admit ?? Effect.void, call.receive)
    const response = guardWrite(
      Effect.flatMap(received, ({ bytes, parse }) => {
        const work = Effect.flatMap(parse, (input) =>
          Effect.flatMap(read(input, call.params), ({ runAnonymously }) =>
            runAnonymously === undefined
              ? Effect.die(new Error(`${operation._tag} has no handler for calls without a token`))
              : withHandlerSpan(wakeWorkers(runAnonymously))
          )
        )
        return limiter.withPermit(anonymousPermitHolder(call.address), work, bytes)
      })
    )
    const provided = Effect.provideService(
      Effect.provideService(response, CurrentActor, actor),
      CallerAddress,
      call.address
    )
    return Effect.map(Effect.exit(provided), (exit) => ({
      exit,
      headers: {},
      caller: undefined
    }))
  }
}

const NO_KEY: Effect.Effect<string | undefined> = Effect.undefined

const toNewResult = (result: Schema.Json): IdempotentResult => ({ result, replayed: false })

const toRejectedOutcome = (cause: Cause.Cause<RejectedCall>): CallOutcome => ({
  exit: Exit.failCause(Cause.map(cause, ({ error }) => error)),
  headers: {},
  caller: Option.getOrUndefined(Cause.findErrorOption(cause))?.caller
})

/** Adding two services is cheaper than merging a context, which copies all of it. */
const provideCaller =
  (caller: Caller, actor: Actor) =>
  (context: Context.Context<never>): Context.Context<CurrentCaller | CurrentActor> =>
    Context.add(Context.add(context, CurrentCaller, caller), CurrentActor, actor)

const respondUnmatched = Effect.fnUntraced(function* (
  gate: Gate["Service"],
  error: ApiError,
  headers: ServiceCall["headers"]
): Effect.fn.Return<CallOutcome> {
  if (isPermitRejection(error)) return { exit: Exit.fail(error), headers: {}, caller: yield* gate.findCaller(headers) }
  const admission = yield* Effect.exit(gate.admit({ route: UNMATCHED_ROUTE, isRead: true, headers }))
  if (Exit.isSuccess(admission)) {
    yield* admission.value.countFailure(errorCode(error))
    return { exit: Exit.fail(error), headers: admission.value.headers, caller: admission.value.caller }
  }
  const rejection = Option.getOrUndefined(Exit.findErrorOption(admission))
  const rateLimited = rejection?.error._tag === "RateLimited" ? rejection.error : undefined
  return { exit: Exit.fail(rateLimited ?? error), headers: {}, caller: rejection?.caller }
})

interface CallObservers {
  readonly failedCallCounter: FailedCallCounter["Service"]
  readonly measure: (measurement: CallMeasurement) => Effect.Effect<void>
}

const respond = (
  { failedCallCounter, measure }: CallObservers,
  operation: string,
  call: Pick<ServiceCall, "transport" | "headers">,
  run: (requestId: string) => Effect.Effect<CallOutcome>
): Effect.Effect<ServiceResponse> =>
  Effect.clockWith((clock) => {
    const startedAt = clock.currentTimeMillisUnsafe()
    const request: RequestLogContext = {
      requestId: newRequestId(startedAt),
      operation,
      transport: call.transport,
      startedAt,
      clock,
      measure
    }
    const response = Effect.flatMap(run(request.requestId), (outcome) =>
      Exit.isSuccess(outcome.exit)
        ? logRequest(request, {
            envelope: successEnvelope(request.requestId, outcome.exit.value),
            headers: outcome.headers
          })
        : Effect.flatMap(respondFailure(request, outcome, outcome.exit.cause), (response) =>
            Effect.andThen(
              failedCallCounter.recordCall({
                caller: outcome.caller,
                operation,
                errorCode: response.envelope.error_code
              }),
              logRequest(request, response)
            )
          )
    )
    return withRootSpan(
      {
        name: "request",
        kind: "server",
        parent: parseTraceparent(call.headers["traceparent"]),
        ...requestSpan(request)
      },
      response
    )
  })

interface RequestLogContext {
  readonly requestId: string
  readonly operation: string
  readonly transport: ServiceCall["transport"]
  readonly startedAt: number
  readonly clock: Clock.Clock
  readonly measure: CallObservers["measure"]
}

const ERROR_CODE = "latchkey.error_code"

const requestSpan = ({ operation, requestId, transport }: RequestLogContext) => ({
  attributes: () => ({ "latchkey.operation": operation, "latchkey.request_id": requestId, "latchkey.door": transport }),
  attributesAtEnd: (exit: Exit.Exit<ServiceResponse>) =>
    Exit.isSuccess(exit) && exit.value.envelope.error_code >= FIRST_SERVER_ERROR_CODE
      ? { [ERROR_CODE]: exit.value.envelope.error_code }
      : undefined
})

/** Lowest error_code of a server error (specification, Errors). */
const FIRST_SERVER_ERROR_CODE = 500

const respondFailure = (
  { requestId, operation }: RequestLogContext,
  { headers }: CallOutcome,
  cause: Cause.Cause<ApiError>
): Effect.Effect<ServiceResponse> => {
  const toErrorResponse = (error: ApiError): ServiceResponse => ({
    envelope: failureEnvelope(requestId, error),
    headers: { ...headers, ...errorHeaders(error) },
    error
  })
  const error = Cause.findErrorOption(cause)
  if (Option.isSome(error)) return Effect.succeed(toErrorResponse(error.value))
  // The caller has disconnected.
  if (Cause.hasInterruptsOnly(cause)) return Effect.interrupt
  if (isReadOnlyError(cause)) return Effect.succeed(toErrorResponse(readOnlyError))
  const storageFailure = findStorageFailure(cause)
  if (storageFailure !== undefined) return Effect.as(logStorageFailure(storageFailure), toErrorResponse(databaseError))
  const isTimeout = isStatementTimeout(cause)
  const logEntry = isTimeout ? Effect.logWarning("a statement took too long", cause) : Effect.logError("defect", cause)
  return Effect.as(
    Effect.annotateLogs(logEntry, { request_id: requestId, operation }),
    toErrorResponse(isTimeout ? timeoutError : defectError)
  )
}

const timeoutError = new ServerError({
  message: "This call took too long and was stopped. The part that was stopped changed nothing; retry the call.",
  retryAfter: BUSY_RETRY_SECONDS
})
const readOnlyError = new ServerError({
  message: "The service is read-only at the moment. Nothing was changed; try again later.",
  retryAfter: BUSY_RETRY_SECONDS
})
const databaseError = new ServerError({
  message:
    "The service cannot reach its database, or cannot write to it. Retry later; with an Idempotency-Key the change is made only once.",
  retryAfter: BUSY_RETRY_SECONDS
})
const defectError = new ServerError({ message: "Something went wrong on our side. Quote the request_id." })

const FIXED_MESSAGE_CODES: ReadonlySet<number> = new Set([401, 420, 429])

/** The message of these errors may quote the caller's input, such as a guest's name. The log must omit it. */
const mayQuoteCaller = (errorCode: number): boolean =>
  errorCode < FIRST_SERVER_ERROR_CODE && !FIXED_MESSAGE_CODES.has(errorCode)

const logRequest = (request: RequestLogContext, response: ServiceResponse): Effect.Effect<ServiceResponse> => {
  const { operation, transport, startedAt, clock, measure } = request
  const { request_id, error_code, error_msg } = response.envelope
  const ms = clock.currentTimeMillisUnsafe() - startedAt
  const fields = { request_id, door: transport, operation, error_code, ms }
  const line = Effect.logInfo("request", mayQuoteCaller(error_code) ? fields : { ...fields, error_msg })
  const recordings = Effect.andThen(
    annotateSpan(ERROR_CODE, error_code),
    measure({ transport, errorCode: error_code, durationMs: ms })
  )
  return Effect.as(Effect.andThen(recordings, line), response)
}
