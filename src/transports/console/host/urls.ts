// Pages link to each other through these functions, so no page depends on another's query parameters.

const buildUrl = (path: string, query: Readonly<Record<string, string | number | undefined>> = {}): string => {
  const params = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value !== undefined) params.set(name, String(value))
  return params.size === 0 ? path : `${path}?${params.toString()}`
}

export const SIGN_IN_PATH = "/console"
export const ACCESS_PATH = "/console/access"
export const PASSWORD_PATH = "/console/password"
export const OVERVIEW_PATH = "/console/overview"
export const REPORTS_PATH = "/console/year"
export const REPORTS_CSV_PATH = "/console/year.csv"
export const CALENDAR_PATH = "/console/calendar"
export const RESERVATIONS_PATH = "/console/reservations"
export const RESERVATIONS_CSV_PATH = "/console/reservations.csv"
export const NEW_RESERVATION_PATH = "/console/reservations/new"
export const STAY_PATH = "/console/stay"
export const PRICES_PATH = "/console/prices"
export const START_PATH = "/console/start"
export const MESSAGES_PATH = "/console/messages"
export const REVIEWS_PATH = "/console/reviews"
export const MONEY_PATH = "/console/money"
export const MONEY_CSV_PATH = "/console/money.csv"
export const TASKS_PATH = "/console/tasks"
export const PROPERTIES_PATH = "/console/properties"
export const PROPERTY_PATH = "/console/properties/property"
export const CHANNELS_PATH = "/console/channels"
export const LISTING_PATH = "/console/channels/listing"
export const ICAL_SYNC_PATH = "/console/calendars"
export const AUTOMATION_PATH = "/console/automation"
export const KNOWLEDGE_PATH = "/console/knowledge"
export const PEOPLE_PATH = "/console/people"
export const NOTIFICATIONS_PATH = "/console/notifications"
export const CATEGORIES_PATH = "/console/words"
export const ACTIVITY_LOG_PATH = "/console/history"

export const stayUrl = (stayCode: string): string => buildUrl(STAY_PATH, { code: stayCode })

interface ReservationsQuery {
  readonly q?: string
  readonly property?: number
  readonly status?: string
  readonly payment?: string
  readonly from?: string
  readonly to?: string
  readonly leaves_from?: string
  readonly leaves_to?: string
}

export const reservationsUrl = (filters: ReservationsQuery = {}): string => buildUrl(RESERVATIONS_PATH, { ...filters })

export const newReservationUrl = (
  prefilled: { readonly property?: number; readonly check_in_date?: string; readonly check_out_date?: string } = {}
): string => buildUrl(NEW_RESERVATION_PATH, prefilled)

export const messagesUrl = (filters: { readonly id?: string; readonly show?: "waiting" } = {}): string =>
  buildUrl(MESSAGES_PATH, filters)

export const reviewsUrl = (show?: "waiting"): string => buildUrl(REVIEWS_PATH, { show })

export interface MoneyQuery {
  readonly from?: string
  readonly to?: string
  readonly property?: number
  readonly order?: string
  readonly add?: "income" | "expense"
}

export const moneyUrl = (filters: MoneyQuery = {}): string => buildUrl(MONEY_PATH, { ...filters })

export const moneyCsvUrl = (filters: Omit<MoneyQuery, "add">): string => buildUrl(MONEY_CSV_PATH, { ...filters })

interface ReportsQuery {
  readonly year?: number
  readonly month?: number
  readonly property?: number
}

export const reportsUrl = (filters: ReportsQuery = {}): string => buildUrl(REPORTS_PATH, { ...filters })

export const reportsCsvUrl = (filters: Omit<ReportsQuery, "month">): string =>
  buildUrl(REPORTS_CSV_PATH, { ...filters })

export const tasksUrl = (filters: { readonly from?: string; readonly to?: string; readonly staff?: number } = {}) =>
  buildUrl(TASKS_PATH, filters)

export const propertyUrl = (id: number): string => buildUrl(PROPERTY_PATH, { id })

export const listingUrl = (id: number, month?: string): string => buildUrl(LISTING_PATH, { id, month })

export const unmappedListingsUrl = `${buildUrl(CHANNELS_PATH, { unlinked: "yes" })}#listings`

/** `record` is the record's name in the audit log, such as `reservation:5-ABC`. */
export const activityLogUrl = (record?: string): string => buildUrl(ACTIVITY_LOG_PATH, { record })
