import {
  type BookingTexts,
  type CalendarEventNights,
  type FollowedStay,
  hasSameNights,
  nightsKey
} from "./followed-stay.ts"

// Finds the stay of each booking. A guest must never get the stay of another guest, because it has a door code.

interface MatchedEvents<Event> {
  readonly eventByCode: ReadonlyMap<string, Event>
  readonly unmatched: ReadonlyArray<Event>
}

const differs = (one: string | undefined, other: string | undefined): boolean =>
  one !== undefined && other !== undefined && one !== other

/** A host may have completed the guest's name, so one name may be the beginning of the other. */
const isOtherName = (one: string | undefined, other: string | undefined): boolean => {
  if (one === undefined || other === undefined) return false
  const [name, otherName] = [one.toLowerCase(), other.toLowerCase()]
  return !name.startsWith(otherName) && !otherName.startsWith(name)
}

const haveDifferentCodes = ({ stay }: FollowedStay, event: BookingTexts): boolean =>
  differs(stay?.confirmationCode, event.confirmationCode)

/** Whether the texts are of different bookings. Two known confirmation codes decide alone. */
const contradict = (link: FollowedStay, event: BookingTexts): boolean => {
  const { stay } = link
  if (stay === null) return false
  if (stay.confirmationCode !== undefined && event.confirmationCode !== undefined)
    return haveDifferentCodes(link, event)
  return isOtherName(stay.guestName, event.guestName) || differs(stay.phoneDigits, event.phoneDigits)
}

const haveEqualTexts = ({ stay }: FollowedStay, event: BookingTexts): boolean =>
  stay?.confirmationCode === event.confirmationCode &&
  stay?.guestName === event.guestName &&
  stay?.phoneDigits === event.phoneDigits

const hasSameUid = (link: FollowedStay, event: CalendarEventNights): boolean => link.uid_digest === event.uid_digest

/**
 * Whether two bookings with one UID are the same booking. Some feeds number their events anew, so a UID alone is not
 * enough: a booking with other nights and other texts is another one. So is one that follows a stay that has ended.
 */
const isSameBookingOfUid =
  (today: string) =>
  (link: FollowedStay, event: CalendarEventNights): boolean =>
    !haveDifferentCodes(link, event) &&
    (hasSameNights(link, event) || (!contradict(link, event) && link.check_out_date >= today))

/**
 * Matches events to links, the surest matches first: nights with equal texts, confirmation code, nights, UID. A
 * marketplace may write new UIDs into each feed. A link whose stay the import cancelled is not matched by its nights.
 */
export const matchEvents = <Event extends CalendarEventNights>(
  links: ReadonlyArray<FollowedStay>,
  events: ReadonlyArray<Event>,
  today: string
): MatchedEvents<Event> => {
  const unmatched = new Set(events)
  const eventByCode = new Map<string, Event>()
  const match = (
    listCandidates: (link: FollowedStay) => ReadonlyArray<Event> | undefined,
    isMatch: (link: FollowedStay, event: Event) => boolean
  ) => {
    for (const link of links) {
      if (eventByCode.has(link.reservation_code)) continue
      const event = listCandidates(link)?.find((candidate) => unmatched.has(candidate) && isMatch(link, candidate))
      if (event === undefined) continue
      eventByCode.set(link.reservation_code, event)
      unmatched.delete(event)
    }
  }
  const bookings = events.filter(({ isBooking }) => isBooking)
  const bookingsByNights = Map.groupBy(bookings, nightsKey)
  const listSameNights = (link: FollowedStay) =>
    link.state === "cancelled" ? undefined : bookingsByNights.get(nightsKey(link))
  match(listSameNights, haveEqualTexts)
  const bookingsByCode = Map.groupBy(bookings, ({ confirmationCode }) => confirmationCode)
  match(
    ({ stay }) => (stay?.confirmationCode === undefined ? undefined : bookingsByCode.get(stay.confirmationCode)),
    () => true
  )
  match(listSameNights, (link, event) => hasSameUid(link, event) && !contradict(link, event))
  match(listSameNights, (link, event) => !contradict(link, event))
  const eventsByUid = Map.groupBy(events, ({ uid_digest }) => uid_digest)
  match(({ uid_digest }) => eventsByUid.get(uid_digest), isSameBookingOfUid(today))
  return { eventByCode, unmatched: Array.from(unmatched) }
}
