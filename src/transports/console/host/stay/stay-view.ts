import type { Reservation } from "../../../../domain/bookings/reservations/reservation.ts"
import { type Html, html } from "../../../docs/html.ts"
import type { StaySidebar } from "../../queries/StayBeside.ts"
import type { SignedInVisit } from "../../visit.ts"
import { disclosure, type SelectOption } from "../form-fields.ts"
import { type FailedSubmission, readSubmittedAction } from "../host-page.ts"

/** What the parts of a stay's page are made of. */
export interface StayView {
  readonly visit: SignedInVisit
  readonly failedSubmission: FailedSubmission | undefined
  readonly stay: Reservation
  /** The other stays of its order. */
  readonly otherStays: ReadonlyArray<Reservation>
  readonly context: StaySidebar
  /** Where an order made by hand may have come from. */
  readonly channels: ReadonlyArray<SelectOption>
}

/** Whether it was entered by hand: then its days, its price and its end are the host's. */
export const isDirectReservation = ({ stay }: StayView): boolean => stay.channel_type === "direct"

/** It has ended without a stay. */
export const isEndedWithoutStay = ({ stay }: StayView): boolean =>
  stay.status === "cancelled" || stay.status === "denied" || stay.status === "timeout"

/** A form behind what it does; open where it was just not taken. */
export const actionDisclosure = (
  { failedSubmission }: StayView,
  action: string,
  summary: string,
  content: Html
): Html =>
  html`${disclosure(summary, content, failedSubmission !== undefined && readSubmittedAction(failedSubmission) === action)}`
