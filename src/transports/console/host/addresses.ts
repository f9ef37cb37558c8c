// Where the pages of the host's console are. A page links to another by what it shows, so that no page knows another's query.

const at = (path: string, query: Readonly<Record<string, string | number | undefined>> = {}): string => {
  const given = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value !== undefined) given.set(name, String(value))
  return given.size === 0 ? path : `${path}?${given.toString()}`
}

export const OVERVIEW_PATH = "/console/overview"
export const YEAR_PATH = "/console/year"
export const CALENDAR_PATH = "/console/calendar"
export const RESERVATIONS_PATH = "/console/reservations"
export const NEW_RESERVATION_PATH = "/console/reservations/new"
export const STAY_PATH = "/console/stay"
export const MESSAGES_PATH = "/console/messages"
export const REVIEWS_PATH = "/console/reviews"
export const MONEY_PATH = "/console/money"
export const MONEY_CSV_PATH = "/console/money.csv"
export const TASKS_PATH = "/console/tasks"
export const PROPERTIES_PATH = "/console/properties"
export const CHANNELS_PATH = "/console/channels"
export const LISTING_PATH = "/console/channels/listing"
export const CALENDARS_PATH = "/console/calendars"
export const AUTOMATION_PATH = "/console/automation"
export const KNOWLEDGE_PATH = "/console/knowledge"
export const PEOPLE_PATH = "/console/people"
export const WORDS_PATH = "/console/words"
export const HISTORY_PATH = "/console/history"

export const stayAddress = (stayCode: string): string => at(STAY_PATH, { code: stayCode })

/** `month`: `YYYY-MM`. */
export const calendarAddress = (month?: string): string => at(CALENDAR_PATH, { month })

/** How a search of reservations is narrowed; `payment: "unpaid"` are those with a balance. */
export interface ReservationsShown {
  /** A part of a code or of a guest's name. */
  readonly q?: string
  readonly property?: number
  readonly status?: string
  readonly payment?: string
  /** Days of the check-in, and of the check-out, both included. */
  readonly from?: string
  readonly to?: string
  readonly leaves_from?: string
  readonly leaves_to?: string
}

export const reservationsAddress = (shown: ReservationsShown = {}): string => at(RESERVATIONS_PATH, { ...shown })

/** With what of the form is known already. */
export const newReservationAddress = (
  known: { readonly property?: number; readonly check_in_date?: string; readonly check_out_date?: string } = {}
): string => at(NEW_RESERVATION_PATH, known)

/** One conversation, or those that wait for an answer, or all. */
export const messagesAddress = (shown: { readonly id?: string; readonly show?: "waiting" } = {}): string =>
  at(MESSAGES_PATH, shown)

export const reviewsAddress = (show?: "waiting"): string => at(REVIEWS_PATH, { show })

/** Which entries are shown: of a period, of a property or an order; of an order without days all there are. */
export interface MoneyShown {
  readonly from?: string
  readonly to?: string
  readonly property?: number
  readonly order?: string
  /** With the form for a new one. */
  readonly add?: "income" | "expense"
}

export const moneyAddress = (shown: MoneyShown = {}): string => at(MONEY_PATH, { ...shown })

/** The same as a table for a spreadsheet. */
export const moneyCsvAddress = (shown: Omit<MoneyShown, "add">): string => at(MONEY_CSV_PATH, { ...shown })

/** A year's occupancy and income, of all properties or of one. */
export const yearAddress = (shown: { readonly year?: number; readonly property?: number } = {}): string =>
  at(YEAR_PATH, shown)

export const tasksAddress = (shown: { readonly from?: string; readonly to?: string; readonly staff?: number } = {}) =>
  at(TASKS_PATH, shown)

export const listingAddress = (id: number, month?: string): string => at(LISTING_PATH, { id, month })

/** What became of one record (as the trail names it: `reservation:5-ABC`), or of all. */
export const historyAddress = (record?: string): string => at(HISTORY_PATH, { record })
