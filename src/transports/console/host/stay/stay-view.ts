import type { Reservation } from "../../../../domain/bookings/reservations/reservation.ts"
import { type Html, html } from "../../../docs/html.ts"
import type { StaySidebar } from "../../queries/StayBeside.ts"
import type { SignedInVisit } from "../../visit.ts"
import { disclosure, type SelectOption } from "../form-fields.ts"
import { type FailedSubmission, readSubmittedAction } from "../host-page.ts"

export interface StayView {
  readonly visit: SignedInVisit
  /** `YYYY-MM-DD` in the operator's time zone. */
  readonly today: string
  readonly failedSubmission: FailedSubmission | undefined
  readonly stay: Reservation
  readonly otherStays: ReadonlyArray<Reservation>
  readonly context: StaySidebar
  readonly channels: ReadonlyArray<SelectOption>
}

export const propertyTitle = ({ context, stay }: StayView): string | undefined =>
  context.titles[stay.stay_code] ?? undefined

/** Only a direct reservation lets the host change its dates and price, and cancel it. */
export const isDirectReservation = ({ stay }: StayView): boolean => stay.channel_type === "direct"

export const isEndedWithoutStay = ({ stay }: StayView): boolean =>
  stay.status === "cancelled" || stay.status === "denied" || stay.status === "timeout"

export const actionDisclosure = (
  { failedSubmission }: StayView,
  action: string,
  summary: string,
  content: Html
): Html =>
  html`${disclosure(summary, content, failedSubmission !== undefined && readSubmittedAction(failedSubmission) === action)}`
