import { Result } from "effect"
import { ChannelRefused } from "../../domain/channels/port/errors.ts"
import type { SandboxStayDates } from "./bookability.ts"
import { CHANNEL_PROFILES } from "./channel-profiles.ts"
import { findRefusedSetting, mergeSettings } from "./listing-settings.ts"
import { releaseRoom } from "./marketplace-snapshot.ts"
import { approveOrder, computeOrderTotal, computePaidTotal, declineOrder } from "./order-transitions.ts"
import { computeHostActionDueTime } from "./outbox-due-times.ts"
import type { ListingSettings, SandboxDay, SandboxListing, SandboxOrder } from "./rows.ts"
import { type RuleContext, type RuleOutcome, toListingOutboxEvent, toOrderOutboxEvent } from "./rule-runner.ts"

export const failRefused = (reason: string) => Result.fail(new ChannelRefused({ reason }))

export const requireRemoteOrder = ({ order }: RuleContext): Result.Result<SandboxOrder, ChannelRefused> =>
  order === undefined ? failRefused("there is no such order") : Result.succeed(order)

export const requireRemoteListing = (
  { snapshot }: RuleContext,
  listingId: string
): Result.Result<SandboxListing, ChannelRefused> => {
  const listing = snapshot.listings.get(listingId)
  return listing === undefined ? failRefused("there is no such listing") : Result.succeed(listing)
}

/** `told_version` marks the new version as known to the service, whose calendar already contains the nights. */
export const approveOrderRule = (
  context: RuleContext
): Result.Result<RuleOutcome<SandboxOrder["status"]>, ChannelRefused> =>
  Result.flatMap(requireRemoteOrder(context), (before) => {
    if (before.answer === "approved") return Result.succeed({ answer: before.status })
    const { account, now } = context.snapshot
    const unpaidUnits = computeOrderTotal(before) - computePaidTotal(before, context.payments)
    const after = approveOrder(account.channel_type, before, unpaidUnits, now)
    if (after === undefined) return failRefused(`the order is ${before.status}`)
    return Result.succeed({
      write: {
        order: { before, after },
        outboxEvents: [{ ...toOrderOutboxEvent(after, computeHostActionDueTime(now)), told_version: after.version }]
      },
      answer: after.status
    })
  })

export const declineOrderRule = (context: RuleContext): Result.Result<RuleOutcome<void>, ChannelRefused> =>
  Result.flatMap(requireRemoteOrder(context), (before) => {
    if (before.answer === "declined") return Result.succeed({ answer: undefined })
    const after = declineOrder(before, context.snapshot.now)
    if (after === undefined) return failRefused(`the order is ${before.status}`)
    const releasedSnapshot = before.said.rooms.reduce((snapshot, room) => releaseRoom(snapshot, room), context.snapshot)
    const outboxEvents = [toOrderOutboxEvent(after, computeHostActionDueTime(context.snapshot.now))]
    const days = Array.from(releasedSnapshot.changedDays.values())
    return Result.succeed({ write: { order: { before, after }, days, outboxEvents }, answer: undefined })
  })

type ComputePushedDays = (
  listing: SandboxListing,
  days: ReadonlyMap<string, SandboxDay>,
  unreportedStays: ReadonlyArray<SandboxStayDates>
) => Result.Result<ReadonlyArray<SandboxDay>, string>

export const pushDaysRule =
  (listingId: string, computeDays: ComputePushedDays) =>
  (context: RuleContext): Result.Result<RuleOutcome<void>, ChannelRefused> =>
    Result.gen(function* () {
      const listing = yield* requireRemoteListing(context, listingId)
      const changedDays = computeDays(
        listing,
        context.snapshot.days.get(listingId) ?? new Map(),
        context.unreportedStays
      )
      const days = yield* Result.mapError(changedDays, (reason) => new ChannelRefused({ reason }))
      return { write: { days, outboxEvents: [] }, answer: undefined }
    })

export const changeSettingsRule =
  (listingId: string, settingsKind: "airbnb" | "vrbo", sentSettings: ListingSettings) =>
  (context: RuleContext): Result.Result<RuleOutcome<void>, ChannelRefused> =>
    Result.gen(function* () {
      const { account, now } = context.snapshot
      if (CHANNEL_PROFILES[account.channel_type].settingsKind !== settingsKind)
        return yield* failRefused(`${account.channel_type} does not support such settings`)
      const listing = yield* requireRemoteListing(context, listingId)
      const refusedSetting = findRefusedSetting(account.channel_type, listing, sentSettings)
      if (refusedSetting !== undefined) {
        const { field, reason } = refusedSetting
        return yield* Result.fail(new ChannelRefused({ field: `settings.${field}`, reason }))
      }
      const settings = mergeSettings(account.channel_type, listing.settings, sentSettings)
      const instant = settings["instant_booking"]
      const after: SandboxListing = {
        ...listing,
        settings,
        instant: typeof instant === "boolean" ? instant : listing.instant,
        version: listing.version + 1
      }
      const outboxEvents = [toListingOutboxEvent(after, settingsKind === "vrbo", computeHostActionDueTime(now))]
      return { write: { changedListings: [after], outboxEvents }, answer: undefined }
    })
