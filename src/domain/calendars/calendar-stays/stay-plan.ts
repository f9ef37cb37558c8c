import { addDays } from "../../../contract/time.ts"
import { CALENDAR_DAY_RETENTION_MS, CALENDAR_STAY_ABSENCE_MS, CALENDAR_STAYS_MAX } from "../../../platform/limits.ts"
import { listStayNights } from "../../bookings/reservations/rules/nights.ts"
import { hasSameNights, type ImportedEvent, type LinkedStay, type StayLink, type StayNights } from "./stay-link.ts"
import { matchEvents } from "./stay-matching.ts"
import type { StayMove } from "./stay-moves.ts"
import { type StayProblem, type StayProblemReason, toCalendarProblem } from "./stay-problem.ts"

// Plans how a feed changes the stays of its calendar. No plan frees a night of an event: imported days block the nights of
// every event, and a stay holds its own nights until it is moved or cancelled.

export interface StayPlanRequest<Event extends ImportedEvent> {
  readonly links: ReadonlyArray<LinkedStay>
  readonly events: ReadonlyArray<Event>
  /** Bookings that share the UID of an event, with other nights. They only block days. */
  readonly duplicates: ReadonlyArray<StayNights>
  /** Whether the feed was read completely. */
  readonly isComplete: boolean
  /** Whether new bookings become stays. */
  readonly createsStays: boolean
  /** Days that the marketplace blocks only because it has read them in our feed. */
  readonly repeatedDays: ReadonlySet<string>
  readonly now: Date
  /** In the operator's time zone. */
  readonly today: string
  readonly newCode: () => string
}

export interface StayPlan<Event> {
  /** New and changed links. */
  readonly links: ReadonlyArray<StayLink>
  readonly removedCodes: ReadonlyArray<string>
  readonly creations: ReadonlyArray<{ readonly link: StayLink; readonly event: Event }>
  readonly moves: ReadonlyArray<StayMove>
  readonly cancellations: ReadonlyArray<StayLink>
  readonly problems: ReadonlyArray<StayProblem>
  /** Whether the next fetch must read the feed even if it is unchanged. */
  readonly isPending: boolean
}

const toProblem = (
  reason: StayProblemReason,
  { check_in_date, check_out_date }: StayNights,
  reservation_code: string | null
): StayProblem => ({ reason, reservation_code, check_in_date, check_out_date })

export const isFollowing = ({ state, stay }: LinkedStay): boolean =>
  state === "following" && stay !== null && stay.status === "accepted" && !stay.isFromAccount

const toLink = ({ stay: _stay, canBeTakenOver: _canBeTakenOver, ...link }: LinkedStay): StayLink => link

const isSameLink = (one: StayLink, other: StayLink): boolean =>
  one.uid_digest === other.uid_digest &&
  one.state === other.state &&
  one.missing_since?.getTime() === other.missing_since?.getTime() &&
  hasSameNights(one, other)

class StayPlanner<Event extends ImportedEvent> {
  readonly links: Array<StayLink> = []
  readonly removedCodes: Array<string> = []
  readonly creations: Array<{ readonly link: StayLink; readonly event: Event }> = []
  readonly moves: Array<StayMove> = []
  readonly cancellations: Array<StayLink> = []
  readonly problems: Array<StayProblem> = []
  isPending = false
  readonly #request: StayPlanRequest<Event>
  /** Links of this calendar. Links that it may take over do not count toward {@link CALENDAR_STAYS_MAX}. */
  #linkCount: number

  constructor(request: StayPlanRequest<Event>) {
    this.#request = request
    this.#linkCount = request.links.filter(({ canBeTakenOver }) => !canBeTakenOver).length
  }

  #saveLinkIfChanged(former: LinkedStay, link: StayLink): void {
    if (former.canBeTakenOver || !isSameLink(former, link)) this.links.push(link)
  }

  #mayCreate(event: Event): boolean {
    const { createsStays, repeatedDays, today } = this.#request
    const isRepeated = listStayNights(event).every((day) => repeatedDays.has(day))
    return createsStays && event.isBooking && event.check_out_date > today && !isRepeated
  }

  followEvent(former: LinkedStay, event: Event): void {
    const { check_in_date, check_out_date, uid_digest } = event
    const wasCancelled = former.state === "cancelled" && former.stay?.status !== "accepted"
    if (wasCancelled) {
      const isReplaced = this.#mayCreate(event) && this.addStay(event, former)
      if (!isReplaced) this.#saveLinkIfChanged(former, { ...toLink(former), missing_since: null })
      return
    }
    const isFollowedAgain = former.state === "cancelled"
    const dates = event.isBooking ? { check_in_date, check_out_date } : {}
    const link: StayLink = {
      ...toLink(former),
      ...dates,
      uid_digest,
      state: isFollowedAgain ? "following" : former.state,
      missing_since: null
    }
    if (former.stay === null) {
      if (former.state === "detached" || this.#mayCreate(event)) this.#saveLinkIfChanged(former, link)
      if (former.state === "detached") return
      if (this.#mayCreate(event)) this.creations.push({ link, event })
      else this.removeLink(former)
      return
    }
    this.#saveLinkIfChanged(former, link)
    if (link.state === "following" && former.stay.status === "cancelled")
      this.problems.push(toProblem("cancelled_here", event, former.reservation_code))
    if (!isFollowing({ ...former, ...link })) return
    if (!event.isBooking) this.problems.push(toProblem("blocked", former.stay, former.reservation_code))
    else if (!hasSameNights(former.stay, event) && check_out_date > this.#request.today)
      this.moves.push({ link, from: former.stay })
  }

  removeLink({ reservation_code, canBeTakenOver }: LinkedStay): void {
    this.removedCodes.push(reservation_code)
    if (!canBeTakenOver) this.#linkCount -= 1
  }

  /**
   * A booking that came back after its cancellation becomes a new stay, because a cancelled reservation is final.
   * Returns false and reports `too_many` if the calendar already has {@link CALENDAR_STAYS_MAX} links.
   */
  addStay(event: Event, former?: LinkedStay): boolean {
    const { newCode } = this.#request
    if (this.#linkCount >= CALENDAR_STAYS_MAX) {
      if (!this.problems.some(({ reason }) => reason === "too_many")) this.problems.push(toCalendarProblem("too_many"))
      return false
    }
    const { check_in_date, check_out_date, uid_digest } = event
    const link: StayLink = {
      reservation_code: newCode(),
      uid_digest,
      generation: (former?.generation ?? 0) + 1,
      check_in_date,
      check_out_date,
      state: "following",
      missing_since: null
    }
    if (former !== undefined) this.removeLink(former)
    this.#linkCount += 1
    this.links.push(link)
    this.creations.push({ link, event })
    return true
  }

  reportDuplicate(booking: StayNights): void {
    const { createsStays, today } = this.#request
    if (createsStays && booking.check_out_date > today) this.problems.push(toProblem("duplicate_uid", booking, null))
  }

  handleNewEvent(event: Event): void {
    if (this.#mayCreate(event)) this.addStay(event)
  }

  handleMissingEvent(former: LinkedStay): void {
    const { isComplete, now, today } = this.#request
    const { stay, reservation_code, missing_since } = former
    if (former.state === "cancelled" && stay?.status === "accepted") {
      this.cancellations.push(toLink(former))
      return
    }
    if (!isComplete) return
    if (stay === null && former.state === "following") {
      this.removeLink(former)
      return
    }
    if (stay === null || !isFollowing(former) || stay.check_out_date <= today) return
    if (stay.check_in_date <= today) {
      this.problems.push(toProblem("missing_after_check_in", stay, reservation_code))
      return
    }
    if (missing_since !== null && now.getTime() - missing_since.getTime() >= CALENDAR_STAY_ABSENCE_MS) {
      const link: StayLink = { ...toLink(former), state: "cancelled" }
      this.links.push(link)
      this.cancellations.push(link)
      return
    }
    this.isPending = true
    this.problems.push(toProblem("missing", stay, reservation_code))
    if (missing_since === null) this.links.push({ ...toLink(former), missing_since: now })
  }
}

const RETENTION_DAYS = CALENDAR_DAY_RETENTION_MS / (24 * 60 * 60 * 1000)

export const planStayChanges = <Event extends ImportedEvent>(request: StayPlanRequest<Event>): StayPlan<Event> => {
  const planner = new StayPlanner(request)
  const { eventByCode, unmatched } = matchEvents(request.links, request.events, request.today)
  const oldest = addDays(request.today, -RETENTION_DAYS)
  for (const link of request.links) {
    const event = eventByCode.get(link.reservation_code)
    if (event !== undefined) planner.followEvent(link, event)
    else if (link.canBeTakenOver) continue
    else if (link.check_out_date < oldest) planner.removeLink(link)
    else planner.handleMissingEvent(link)
  }
  for (const event of unmatched) planner.handleNewEvent(event)
  for (const booking of request.duplicates) planner.reportDuplicate(booking)
  const { links, removedCodes, creations, moves, cancellations, problems, isPending } = planner
  return { links, removedCodes, creations, moves, cancellations, problems, isPending }
}
