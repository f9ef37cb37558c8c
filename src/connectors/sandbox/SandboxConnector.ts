import { Context, Effect, Layer, Result, Schema } from "effect"
import type { Connector, RemoteAccount, RemoteListing, RemoteOrder } from "../../domain/channels/port/connector.ts"
import { Connectors } from "../../domain/channels/port/connector.ts"
import { AirbnbPriceAndRules } from "../../domain/channels/port/price-and-rules.ts"
import { countStaysByNight } from "./bookability.ts"
import { CHANNEL_PROFILES } from "./channel-profiles.ts"
import { makeCommunicationMethods } from "./communication-methods.ts"
import {
  approveOrderRule,
  changeSettingsRule,
  declineOrderRule,
  pushDaysRule,
  requireRemoteListing
} from "./host-order-rules.ts"
import { applyInventories, applyPrices, applyRestrictions, toListingDays } from "./listing-calendar.ts"
import { makeRequestHandler, mapConflictToUnavailable, type RequestInfo } from "./request-handler.ts"
import { ListingSettings, type SandboxAccount } from "./rows.ts"
import { makeRuleRunner, type RuleScope } from "./rule-runner.ts"
import { SandboxOutbox } from "./SandboxOutbox.ts"
import { SandboxRepository } from "./SandboxRepository.ts"

interface DayRange {
  readonly start_date: string
  readonly end_date: string
}

const toDaySpan = (ranges: ReadonlyArray<DayRange>): Pick<RuleScope, "days"> => {
  const [start] = ranges.map(({ start_date }) => start_date).toSorted()
  const end = ranges
    .map(({ end_date }) => end_date)
    .toSorted()
    .at(-1)
  return start === undefined || end === undefined ? {} : { days: { start, end } }
}

/** Returns for example `3 ranges, 2027-05-01 to 2027-05-09: {"price":120} …`. */
const summarizeRanges = (ranges: ReadonlyArray<DayRange>): string => {
  const { days } = toDaySpan(ranges)
  const [first] = ranges
  if (days === undefined || first === undefined) return "nothing"
  const { start_date: _start, end_date: _end, ...value } = first
  const valueText = JSON.stringify(value)
  return ranges.length === 1
    ? `${first.start_date} to ${first.end_date}: ${valueText}`
    : `${ranges.length} ranges, ${days.start} to ${days.end}: ${valueText} …`
}

const SUMMARY_LENGTH = 500

const summarizeSettings = (settings: object): string => {
  const line = JSON.stringify(settings)
  return line.length > SUMMARY_LENGTH ? `${line.slice(0, SUMMARY_LENGTH)} …` : line
}

const makeOrderMethods = Effect.gen(function* () {
  const handleRequest = yield* makeRequestHandler
  const runRule = yield* makeRuleRunner
  const repository = yield* SandboxRepository
  const outbox = yield* SandboxOutbox
  const toRequestInfo = (
    name: keyof Connector,
    { reservationCode, channelId }: RemoteOrder,
    isChange: boolean
  ): RequestInfo => ({
    act: name,
    subject: channelId,
    summary: reservationCode,
    isChange
  })
  return {
    approve: (remoteAccount: RemoteAccount, order: RemoteOrder) =>
      handleRequest(remoteAccount, toRequestInfo("approve", order, true), (account) =>
        mapConflictToUnavailable(runRule(account, { orderId: order.channelId }, approveOrderRule)).pipe(
          // The service must store `wait_pay` before the caller treats the order as accepted.
          Effect.tap((status) => (status === "wait_pay" ? outbox.flushOrder(account, order.channelId) : Effect.void)),
          Effect.asVoid
        )
      ),
    decline: (remoteAccount: RemoteAccount, order: RemoteOrder) =>
      handleRequest(remoteAccount, toRequestInfo("decline", order, true), (account) =>
        mapConflictToUnavailable(runRule(account, { orderId: order.channelId }, declineOrderRule))
      ),
    answered: (remoteAccount: RemoteAccount, order: RemoteOrder) =>
      handleRequest(remoteAccount, toRequestInfo("answered", order, false), (account) =>
        Effect.map(repository.findOrder(account, order.channelId), (row) =>
          row === undefined ? "unknown" : (row.answer ?? "pending")
        )
      )
  } satisfies Partial<Connector>
})

const makeCalendarMethods = Effect.gen(function* () {
  const handleRequest = yield* makeRequestHandler
  const runRule = yield* makeRuleRunner
  const push = (
    remoteAccount: RemoteAccount,
    name: keyof Connector,
    { listingId }: RemoteListing,
    ranges: ReadonlyArray<DayRange>,
    makePush: (account: SandboxAccount) => Parameters<typeof pushDaysRule>[1],
    extraScope: Pick<RuleScope, "unreportedStaysListingId"> = {}
  ) =>
    handleRequest(
      remoteAccount,
      { act: name, subject: listingId, summary: summarizeRanges(ranges), isChange: true },
      (account) =>
        mapConflictToUnavailable(
          runRule(
            account,
            { listings: [listingId], ...toDaySpan(ranges), ...extraScope },
            pushDaysRule(listingId, makePush(account))
          )
        )
    )
  return {
    pushPrices: (remoteAccount, { listingId, prices }) =>
      push(
        remoteAccount,
        "pushPrices",
        { listingId },
        prices,
        () => (listing, days) => applyPrices(listing, days, prices)
      ),
    pushInventories: (remoteAccount, { listingId, inventories }) =>
      push(
        remoteAccount,
        "pushInventories",
        { listingId },
        inventories,
        () => (listing, days, unreportedStays) =>
          applyInventories(listing, days, inventories, countStaysByNight(unreportedStays)),
        { unreportedStaysListingId: listingId }
      ),
    pushRestrictions: (remoteAccount, { listingId, restrictions }) =>
      push(
        remoteAccount,
        "pushRestrictions",
        { listingId },
        restrictions,
        ({ channel_type }) =>
          (listing, days) =>
            applyRestrictions(channel_type, listing, days, restrictions)
      ),
    readCalendar: (remoteAccount, { listingId, start, end }) => {
      const request = {
        act: "readCalendar",
        subject: listingId,
        summary: `${start} to ${end}`,
        isChange: false
      } as const
      return handleRequest(remoteAccount, request, (account) =>
        mapConflictToUnavailable(
          runRule(account, { listings: [listingId], days: { start, end } }, (context) =>
            Result.map(requireRemoteListing(context, listingId), (listing) => ({
              answer: toListingDays(account.channel_type, listing, context.snapshot.days.get(listingId) ?? new Map(), {
                start,
                end
              })
            }))
          )
        )
      )
    }
  } satisfies Partial<Connector>
})

const decodeListingSettings = Schema.decodeUnknownEffect(ListingSettings)
const decodeAirbnbPriceAndRules = Schema.decodeUnknownEffect(AirbnbPriceAndRules)

const makePriceAndRulesMethods = Effect.gen(function* () {
  const handleRequest = yield* makeRequestHandler
  const runRule = yield* makeRuleRunner
  const write = (
    remoteAccount: RemoteAccount,
    name: "writeAirbnbPriceAndRules" | "writeVrboPriceAndRules",
    { listingId, settings }: RemoteListing & { readonly settings: object }
  ) =>
    handleRequest(
      remoteAccount,
      { act: name, subject: listingId, summary: summarizeSettings(settings), isChange: true },
      (account) =>
        Effect.flatMap(Effect.orDie(decodeListingSettings(settings)), (sent) => {
          const settingsKind = name === "writeVrboPriceAndRules" ? "vrbo" : "airbnb"
          return mapConflictToUnavailable(
            runRule(account, { listings: [listingId] }, changeSettingsRule(listingId, settingsKind, sent))
          )
        })
    )
  return {
    readAirbnbPriceAndRules: (remoteAccount, { listingId }) => {
      const request = { act: "readAirbnbPriceAndRules", subject: listingId, summary: "", isChange: false } as const
      return handleRequest(remoteAccount, request, (account) =>
        mapConflictToUnavailable(
          runRule(account, { listings: [listingId] }, (context) =>
            Result.map(requireRemoteListing(context, listingId), ({ settings }) => ({ answer: settings }))
          )
        ).pipe(
          Effect.flatMap((settings) => Effect.orDie(decodeAirbnbPriceAndRules(settings))),
          Effect.map((settings) => ({
            settings,
            eligible_cancellation_policies: CHANNEL_PROFILES[account.channel_type].cancellationPolicies
          }))
        )
      )
    },
    writeAirbnbPriceAndRules: (remoteAccount, payload) => write(remoteAccount, "writeAirbnbPriceAndRules", payload),
    writeVrboPriceAndRules: (remoteAccount, payload) => write(remoteAccount, "writeVrboPriceAndRules", payload)
  } satisfies Partial<Connector>
})

export class SandboxConnector extends Context.Service<SandboxConnector, Connector>()(
  "latchkey/connectors/sandbox/SandboxConnector"
) {
  static readonly layer = Layer.effect(
    SandboxConnector,
    Effect.gen(function* () {
      return {
        ...(yield* makeOrderMethods),
        ...(yield* makeCalendarMethods),
        ...(yield* makePriceAndRulesMethods),
        ...(yield* makeCommunicationMethods)
      }
    })
  )
}

export const layerSandboxConnector = Layer.effect(
  Connectors,
  Effect.map(SandboxConnector, (sandbox) => ({ find: (name: string) => (name === "sandbox" ? sandbox : undefined) }))
)
