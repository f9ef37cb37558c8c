import { Result } from "effect"
import { ChannelRefused } from "../../domain/channels/port/errors.ts"
import { type Becomes, type Found, listingWord, orderWord } from "./changing.ts"
import { DIFFERENCES } from "./channels.ts"
import { saidLater } from "./due.ts"
import { approved, declined, paidOf, totalOf } from "./order.ts"
import type { Day, Listing, Order, Settings } from "./rows.ts"
import { giveBack } from "./scene.ts"
import type { Nights } from "./selling.ts"
import { settingsWith, untakenOf } from "./settings.ts"

// What the host asks of the marketplace, and what becomes of it: pure rules over what was read.

export const refused = (reason: string) => Result.fail(new ChannelRefused({ reason }))

/** The order of an act, or why there is none. */
export const orderIn = ({ order }: Found): Result.Result<Order, ChannelRefused> =>
  order === undefined ? refused("there is no such order") : Result.succeed(order)

export const listingIn = ({ scene }: Found, listingId: string): Result.Result<Listing, ChannelRefused> => {
  const listing = scene.listings.get(listingId)
  return listing === undefined ? refused("there is no such listing") : Result.succeed(listing)
}

/**
 * Agreeing again to what was agreed is nothing new; nothing else that is over can be agreed to. What is agreed to holds its
 * nights in the host's calendar from now on: he need not be told.
 */
export const approving = (found: Found): Result.Result<Becomes<Order["status"]>, ChannelRefused> =>
  Result.flatMap(orderIn(found), (before) => {
    if (before.answer === "approved") return Result.succeed({ answer: before.status })
    const { account, now } = found.scene
    const left = totalOf(before) - paidOf(before, found.payments)
    const after = approved(account.channel_type, before, left, now)
    if (after === undefined) return refused(`the order is ${before.status}`)
    return Result.succeed({
      writing: {
        order: { before, after },
        words: [{ ...orderWord(after, saidLater(now)), told_version: after.version }]
      },
      answer: after.status
    })
  })

export const declining = (found: Found): Result.Result<Becomes<void>, ChannelRefused> =>
  Result.flatMap(orderIn(found), (before) => {
    if (before.answer === "declined") return Result.succeed({ answer: undefined })
    const after = declined(before, found.scene.now)
    if (after === undefined) return refused(`the order is ${before.status}`)
    const freed = before.said.rooms.reduce((scene, room) => giveBack(scene, room), found.scene)
    const words = [orderWord(after, saidLater(found.scene.now))]
    const days = Array.from(freed.changed.values())
    return Result.succeed({ writing: { order: { before, after }, days, words }, answer: undefined })
  })

type Pushed = (
  listing: Listing,
  days: ReadonlyMap<string, Day>,
  unheard: ReadonlyArray<Nights>
) => Result.Result<ReadonlyArray<Day>, string>

export const pushing =
  (listingId: string, pushed: Pushed) =>
  (found: Found): Result.Result<Becomes<void>, ChannelRefused> =>
    Result.gen(function* () {
      const listing = yield* listingIn(found, listingId)
      const changed = pushed(listing, found.scene.days.get(listingId) ?? new Map(), found.unheard)
      const days = yield* Result.mapError(changed, (reason) => new ChannelRefused({ reason }))
      return { writing: { days, words: [] }, answer: undefined }
    })

/** Settings are of one of the two kinds that have any. */
export const settling =
  (listingId: string, rules: "airbnb" | "vrbo", sent: Settings) =>
  (found: Found): Result.Result<Becomes<void>, ChannelRefused> =>
    Result.gen(function* () {
      const { account, now } = found.scene
      if (DIFFERENCES[account.channel_type].rules !== rules)
        return yield* refused(`${account.channel_type} does not support such settings`)
      const listing = yield* listingIn(found, listingId)
      const untaken = untakenOf(account.channel_type, listing, sent)
      if (untaken !== undefined) {
        const { field, reason } = untaken
        return yield* Result.fail(new ChannelRefused({ field: `settings.${field}`, reason }))
      }
      const settings = settingsWith(account.channel_type, listing.settings, sent)
      const instant = settings["instant_booking"]
      const after: Listing = {
        ...listing,
        settings,
        instant: typeof instant === "boolean" ? instant : listing.instant,
        version: listing.version + 1
      }
      const words = [listingWord(after, rules === "vrbo", saidLater(now))]
      return { writing: { changedListings: [after], words }, answer: undefined }
    })
