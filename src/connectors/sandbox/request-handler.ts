import { DateTime, Effect } from "effect"
import type { Conflict } from "../../contract/errors.ts"
import type { Connector, RemoteAccount } from "../../domain/channels/port/connector.ts"
import {
  ChannelDisconnected,
  ChannelNotServed,
  ChannelRefused,
  ChannelUnavailable
} from "../../domain/channels/port/errors.ts"
import { makeAccountLookup } from "./account-lookup.ts"
import { NextFailures } from "./NextFailures.ts"
import type { FailureMode, SandboxAccount } from "./rows.ts"
import { SandboxAccess } from "./SandboxAccess.ts"
import { SandboxAccounts } from "./SandboxAccounts.ts"

type ChannelRequestError = ChannelRefused | ChannelUnavailable | ChannelDisconnected | ChannelNotServed

export interface RequestInfo {
  readonly act: keyof Connector
  readonly subject: string
  readonly summary: string
  readonly isChange: boolean
}

const describeRequestError = (error: ChannelRequestError): string => {
  switch (error._tag) {
    case "ChannelRefused":
      return `refused: ${error.reason}`
    case "ChannelUnavailable":
      return String(error.code)
    case "ChannelDisconnected":
      return "disconnected"
    case "ChannelNotServed":
      return "not served"
  }
}

type RequestWork<A> = (account: SandboxAccount) => Effect.Effect<A, ChannelRequestError>

const applyFailureMode = <A>(
  { mood, mood_ms, mood_reason }: FailureMode,
  { isChange }: RequestInfo,
  account: SandboxAccount,
  work: Effect.Effect<A, ChannelRequestError>
): Effect.Effect<A, ChannelRequestError> => {
  switch (mood) {
    case "accepts":
      return work
    case "refuses":
      return isChange ? Effect.fail(new ChannelRefused({ reason: mood_reason })) : work
    case "late":
      return Effect.flatMap(Effect.exit(work), (exit) => Effect.delay(exit, mood_ms))
    case "never":
      return Effect.never
    case "502":
      return Effect.andThen(Effect.exit(work), new ChannelUnavailable({ code: 502 }))
    case "503":
      return Effect.fail(new ChannelUnavailable({ code: 503 }))
    case "disconnected":
      return Effect.fail(new ChannelDisconnected({ channelType: account.channel_type }))
  }
}

/** In these failure modes the request is logged first, because its response may never come. */
const FAILURE_MODE_LABELS: { readonly [Name in FailureMode["mood"]]?: string } = {
  late: "late",
  never: "no answer",
  "502": "done, but 502"
}

export const makeRequestHandler = Effect.gen(function* () {
  const accounts = yield* SandboxAccounts
  const accountLookup = yield* makeAccountLookup
  const { isAllowed } = yield* SandboxAccess
  const nextFailures = yield* NextFailures

  return <A>({ operatorId, accountId, channelType }: RemoteAccount, request: RequestInfo, perform: RequestWork<A>) =>
    Effect.gen(function* () {
      const account = (yield* isAllowed) ? yield* accountLookup.byOperatorAccount(operatorId, accountId) : undefined
      if (account === undefined) return yield* new ChannelNotServed({ channelType })
      const failureMode = (yield* nextFailures.take(account, request)) ?? (yield* accounts.findFailureMode(account))
      const record = (answer: string) =>
        Effect.flatMap(DateTime.nowAsDate, (now) => accounts.recordRequest(account, { ...request, answer }, now))
      const label = FAILURE_MODE_LABELS[failureMode.mood]
      if (label !== undefined) yield* record(label === "late" ? `${failureMode.mood_ms} ms late` : label)
      const response = applyFailureMode(failureMode, request, account, perform(account))
      if (label !== undefined) return yield* response
      return yield* response.pipe(
        Effect.tap(() => record("ok")),
        Effect.tapError((error) => record(describeRequestError(error)))
      )
    })
})

export const mapConflictToUnavailable = <A>(
  work: Effect.Effect<A, ChannelRefused | Conflict>
): Effect.Effect<A, ChannelRequestError> =>
  Effect.catchTag(work, "Conflict", () => new ChannelUnavailable({ code: 503 }))
