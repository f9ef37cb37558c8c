import { type BookingDetails, hasSameNights, type ImportedEvent, type LinkedStay, nightsKey } from "./stay-link.ts"

// Finds the stay of each booking. A guest must never get the stay of another guest, because it has a door code.

interface MatchedEvents<Event> {
  readonly eventByCode: ReadonlyMap<string, Event>
  readonly unmatched: ReadonlyArray<Event>
}

const areKnownAndDifferent = (one: string | undefined, other: string | undefined): boolean =>
  one !== undefined && other !== undefined && one !== other

/** A host may have completed the guest's name, so one name may be the beginning of the other. */
const isOtherName = (one: string | undefined, other: string | undefined): boolean => {
  if (one === undefined || other === undefined) return false
  const [name, otherName] = [one.toLowerCase(), other.toLowerCase()]
  return !name.startsWith(otherName) && !otherName.startsWith(name)
}

const haveDifferentCodes = ({ stay }: LinkedStay, event: BookingDetails): boolean =>
  areKnownAndDifferent(stay?.confirmationCode, event.confirmationCode)

/** If both have a confirmation code, only the codes are compared. */
const haveConflictingTexts = (link: LinkedStay, event: BookingDetails): boolean => {
  const { stay } = link
  if (stay === null) return false
  if (stay.confirmationCode !== undefined && event.confirmationCode !== undefined)
    return haveDifferentCodes(link, event)
  return isOtherName(stay.guestName, event.guestName) || areKnownAndDifferent(stay.phoneDigits, event.phoneDigits)
}

const haveEqualTexts = ({ stay }: LinkedStay, event: BookingDetails): boolean =>
  stay?.confirmationCode === event.confirmationCode &&
  stay?.guestName === event.guestName &&
  stay?.phoneDigits === event.phoneDigits

const hasSameUid = (link: LinkedStay, event: ImportedEvent): boolean => link.uid_digest === event.uid_digest

/**
 * Some feeds number their events anew, so a UID alone does not identify a booking. A booking with the same UID is
 * another booking if its confirmation code differs. It is also another booking if its nights differ and its texts
 * conflict, or if its nights differ and the former stay has ended.
 */
const isSameBookingOfUid =
  (today: string) =>
  (link: LinkedStay, event: ImportedEvent): boolean =>
    !haveDifferentCodes(link, event) &&
    (hasSameNights(link, event) || (!haveConflictingTexts(link, event) && link.check_out_date >= today))

/**
 * Matches each event to at most one link. The passes, the surest first:
 *
 * 1. same nights and equal texts
 * 2. same confirmation code
 * 3. same nights and UID
 * 4. same nights
 * 5. same UID (see {@link isSameBookingOfUid})
 *
 * The UID comes last, because some marketplaces write new UIDs into each feed. Passes 3 and 4 skip conflicting texts.
 * Passes 1, 3 and 4 skip links whose stay the import cancelled. Only pass 5 matches blocks.
 */
export const matchEvents = <Event extends ImportedEvent>(
  links: ReadonlyArray<LinkedStay>,
  events: ReadonlyArray<Event>,
  today: string
): MatchedEvents<Event> => {
  const unmatched = new Set(events)
  const eventByCode = new Map<string, Event>()
  const match = (
    listCandidates: (link: LinkedStay) => ReadonlyArray<Event> | undefined,
    isMatch: (link: LinkedStay, event: Event) => boolean
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
  const listSameNights = (link: LinkedStay) =>
    link.state === "cancelled" ? undefined : bookingsByNights.get(nightsKey(link))
  match(listSameNights, haveEqualTexts)
  const bookingsByCode = Map.groupBy(bookings, ({ confirmationCode }) => confirmationCode)
  match(
    ({ stay }) => (stay?.confirmationCode === undefined ? undefined : bookingsByCode.get(stay.confirmationCode)),
    () => true
  )
  match(listSameNights, (link, event) => hasSameUid(link, event) && !haveConflictingTexts(link, event))
  match(listSameNights, (link, event) => !haveConflictingTexts(link, event))
  const eventsByUid = Map.groupBy(events, ({ uid_digest }) => uid_digest)
  match(({ uid_digest }) => eventsByUid.get(uid_digest), isSameBookingOfUid(today))
  return { eventByCode, unmatched: Array.from(unmatched) }
}
