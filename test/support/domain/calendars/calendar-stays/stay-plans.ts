import { addDays } from "../../../../../src/contract/time.ts"
import type { ImportedEvent, LinkedStay } from "../../../../../src/domain/calendars/calendar-stays/stay-link.ts"
import { planStayChanges, type StayPlanRequest } from "../../../../../src/domain/calendars/calendar-stays/stay-plan.ts"
import { NOW, TODAY } from "../imported-calendars/import-service.ts"

/** `offset`: days from today to the check-in date. */
export const toEvent = (uid_digest: string, offset: number, nights = 2, isBooking = true): ImportedEvent => ({
  uid_digest,
  isBooking,
  guestName: undefined,
  confirmationCode: undefined,
  phoneDigits: undefined,
  check_in_date: addDays(TODAY, offset),
  check_out_date: addDays(TODAY, offset + nights)
})

/** The link and the stay that an import makes of the event. */
export const toLinkedStay = (event: ImportedEvent, change: Partial<LinkedStay> = {}): LinkedStay => {
  const { uid_digest, isBooking: _isBooking, ...booking } = event
  const { check_in_date, check_out_date } = event
  return {
    reservation_code: `9-${uid_digest}`,
    uid_digest,
    generation: 1,
    check_in_date,
    check_out_date,
    state: "following",
    missing_since: null,
    canBeTakenOver: false,
    stay: { ...booking, property_id: 1, status: "accepted", isFromAccount: false },
    ...change
  }
}

export const planStays = <Event extends ImportedEvent = ImportedEvent>(request: Partial<StayPlanRequest<Event>>) => {
  let next = 0
  return planStayChanges<Event>({
    links: [],
    events: [],
    duplicates: [],
    isComplete: true,
    createsStays: true,
    repeatedDays: new Set(),
    now: new Date(NOW),
    today: TODAY,
    newCode: () => `9-new${next++}`,
    ...request
  })
}
