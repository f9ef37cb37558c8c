import type { Reservation } from "../../../../domain/bookings/reservations/record.ts"
import { type Html, html } from "../../../docs/html.ts"
import type { Beside } from "../../queries/StayBeside.ts"
import type { SignedInVisit } from "../../visit.ts"
import { behind, type Option } from "../fields.ts"
import { actOf, type NotTaken } from "../page.ts"

/** What the parts of a stay's page are made of. */
export interface Seen {
  readonly visit: SignedInVisit
  readonly notTaken: NotTaken | undefined
  readonly stay: Reservation
  /** The other stays of its order. */
  readonly others: ReadonlyArray<Reservation>
  readonly beside: Beside
  /** Where an order made by hand may have come from. */
  readonly channels: ReadonlyArray<Option>
}

/** Whether it was entered by hand: then its days, its price and its end are the host's. */
export const isByHand = ({ stay }: Seen): boolean => stay.channel_type === "direct"

/** It has ended without a stay. */
export const isOver = ({ stay }: Seen): boolean =>
  stay.status === "cancelled" || stay.status === "denied" || stay.status === "timeout"

/** A form behind what it does; open where it was just not taken. */
export const behindAct = ({ notTaken }: Seen, act: string, summary: string, inner: Html): Html =>
  html`${behind(summary, inner, notTaken !== undefined && actOf(notTaken) === act)}`
