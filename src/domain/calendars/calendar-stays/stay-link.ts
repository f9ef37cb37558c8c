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
  /** Whether the calendar of the link was removed, so that another calendar may take the link over. */
  readonly canBeTakenOver: boolean
  /** Null if the booking has no stay yet. */
  readonly stay:
    | (StayNights &
        BookingDetails & {
          readonly property_id: number | null
          readonly status: string
          readonly isFromAccount: boolean
        })
    | null
}

export const nightsKey = ({ check_in_date, check_out_date }: StayNights): string => `${check_in_date}/${check_out_date}`

export const hasSameNights = (one: StayNights, other: StayNights): boolean => nightsKey(one) === nightsKey(other)
