import type { Page } from "playwright-core"

/** What was made before the first picture, by its addresses and names. */
export interface Scene {
  /** The id of a client that may be led to {@link REDIRECT}. */
  readonly clientId: string
  /** Where the page of a webhook is. */
  readonly webhook: string
}

/** A page that a picture is taken of. */
export interface Pictured {
  /** The name of its pictures in docs/screens. */
  readonly name: string
  readonly path: (scene: Scene) => string
  readonly signedIn: boolean
  /** What the page says when it is the one that is meant. */
  readonly says: string
  /** What is done on it first. */
  readonly first?: (page: Page) => Promise<unknown>
}

export const REDIRECT = "https://partner.example/callback"

const consentOf = ({ clientId }: Scene): string =>
  `/authorization?${new URLSearchParams({
    response_type: "code",
    client_id: clientId,
    redirect_uri: REDIRECT,
    scope: "writable",
    state: "of the partner",
    code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
    code_challenge_method: "S256"
  })}`

const ACCESS = "/console/access"

const makeToken = async (page: Page) => {
  await page.fill("[name=name]", "Housekeeping board")
  await page.click("[value=make_token]")
}

/** The page of the first record of a list. */
const openFirst = async (page: Page) => {
  await page.click("table.cards a")
  await page.waitForLoadState()
}

export const PICTURED: ReadonlyArray<Pictured> = [
  { name: "sign-in", path: () => "/console", signedIn: false, says: "E-mail address" },
  { name: "access", path: () => ACCESS, signedIn: true, says: "Event feed readers" },
  { name: "token", path: () => ACCESS, signedIn: true, says: "We show it only once", first: makeToken },
  { name: "webhook", path: ({ webhook }) => webhook, signedIn: true, says: "The receiver failed" },
  { name: "consent", path: consentOf, signedIn: true, says: "Tide Pricing" },
  { name: "password", path: () => "/console/password", signedIn: true, says: "Repeat new password" },
  { name: "overview", path: () => "/console/overview", signedIn: true, says: "To do" },
  { name: "calendar", path: () => "/console/calendar", signedIn: true, says: "Block, price or book days" },
  { name: "stay", path: () => "/console/reservations", signedIn: true, says: "Check-in", first: openFirst },
  { name: "conversation", path: () => "/console/messages", signedIn: true, says: "Reply", first: openFirst },
  { name: "money", path: () => "/console/money", signedIn: true, says: "Add expense" },
  { name: "year", path: () => "/console/year", signedIn: true, says: "By property" },
  { name: "history", path: () => "/console/history", signedIn: true, says: "Activity log" }
]
