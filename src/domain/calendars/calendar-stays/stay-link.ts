/** The nights from the check-in date to the day before the check-out date. */
export interface StayNights {
  readonly check_in_date: string
  readonly check_out_date: string
}

/** What the feed says about the guest and the booking. */
export interface BookingDetails {
  readonly guestName: string | undefined
  /** The channel's own code of the booking, such as `HMABCDEF12`. */
  readonly confirmationCode: string | undefined
  /** Last four digits of the guest's phone number. */
  readonly phoneDigits: string | undefined
}

/** An event of the feed. `isBooking` is false for a block. */
export interface ImportedEvent extends StayNights, BookingDetails {
  readonly uid_digest: string
  readonly isBooking: boolean
}

export interface StayLink extends StayNights {
  readonly reservation_code: string
  readonly uid_digest: string
  readonly generation: number
  readonly state: "following" | "cancelled" | "detached"
  readonly missing_since: Date | null
}

/** A link with its stay. */
export interface LinkedStay extends StayLink {
  /**
   * Whether this calendar may take the link over. The calendar of the link was removed, or its last complete feed lacks
   * the booking.
   */
  readonly canBeTakenOver: boolean
  /** Whether another calendar has the link. */
  readonly isOfOtherCalendar: boolean
  /** Whether another calendar last read a booking of these nights, so that it may take the link over. */
  readonly isInOtherCalendar: boolean
  /** Null if the booking has no stay yet. */
  readonly stay:
    | (StayNights &
        BookingDetails & {
          readonly property_id: number | null
          readonly status: string
          readonly isFromAccount: boolean
          /** Whether the guest was erased, so that the stay has no texts to compare. */
          readonly isErased: boolean
        })
    | null
}

export const nightsKey = ({ check_in_date, check_out_date }: StayNights): string => `${check_in_date}/${check_out_date}`

export const hasSameNights = (one: StayNights, other: StayNights): boolean => nightsKey(one) === nightsKey(other)
