import { type Html, html, nothing } from "../docs/html.ts"
import { TEXTS } from "./console-texts.ts"
import { formTokenField } from "./form-keys.ts"
import {
  ACCESS_PATH,
  ACTIVITY_LOG_PATH,
  AUTOMATION_PATH,
  CALENDAR_PATH,
  CATEGORIES_PATH,
  CHANNELS_PATH,
  ICAL_SYNC_PATH,
  KNOWLEDGE_PATH,
  MESSAGES_PATH,
  MONEY_PATH,
  NOTIFICATIONS_PATH,
  OVERVIEW_PATH,
  PASSWORD_PATH,
  PEOPLE_PATH,
  PRICES_PATH,
  PROPERTIES_PATH,
  REPORTS_PATH,
  RESERVATIONS_PATH,
  REVIEWS_PATH,
  SIGN_IN_PATH,
  START_PATH,
  TASKS_PATH
} from "./host/urls.ts"

import { ACTION_FIELD, type SignedInVisit } from "./visit.ts"

interface NavigationLink {
  readonly path: string
  readonly label: string
}

interface NavigationGroup {
  readonly heading?: string
  readonly links: ReadonlyArray<NavigationLink>
}

interface BarLink extends NavigationLink {
  readonly icon: Html
}

const icon = (paths: string): Html => ({
  html: `<svg viewBox="0 0 24 24" aria-hidden="true"><path d="${paths}"/></svg>`
})

/** Pages of the bar on phones. `More` shows the others. */
const BAR_LINKS: ReadonlyArray<BarLink> = [
  { path: CALENDAR_PATH, label: "Calendar", icon: icon("M4 6h16v14H4zM4 10h16M8 3v4M16 3v4") },
  { path: RESERVATIONS_PATH, label: "Reservations", icon: icon("M8 6h12M8 12h12M8 18h12M4 6h.01M4 12h.01M4 18h.01") },
  { path: MESSAGES_PATH, label: "Messages", icon: icon("M4 5h16v11H10l-4 4v-4H4z") },
  { path: OVERVIEW_PATH, label: "Overview", icon: icon("M4 12l8-8 8 8M6 10v10h12V10") }
]
const MORE_ICON = icon("M5 12h.01M12 12h.01M19 12h.01")

const DAILY_LINKS: ReadonlyArray<NavigationLink> = [
  ...BAR_LINKS,
  { path: TASKS_PATH, label: "Tasks" },
  { path: MONEY_PATH, label: "Money" }
]

const FURTHER_GROUPS: ReadonlyArray<NavigationGroup> = [
  {
    heading: "Properties",
    links: [
      { path: PROPERTIES_PATH, label: "Properties" },
      { path: PRICES_PATH, label: "Prices" },
      { path: CHANNELS_PATH, label: "Channels & listings" },
      { path: ICAL_SYNC_PATH, label: "iCal sync" }
    ]
  },
  {
    heading: "Guests",
    links: [
      { path: AUTOMATION_PATH, label: "Automation" },
      { path: REVIEWS_PATH, label: "Reviews" },
      { path: KNOWLEDGE_PATH, label: "Knowledge base (AI answers)" }
    ]
  },
  {
    heading: "Business",
    links: [
      { path: REPORTS_PATH, label: "Reports" },
      { path: CATEGORIES_PATH, label: "Categories & tags" },
      { path: PEOPLE_PATH, label: "Team" },
      { path: ACTIVITY_LOG_PATH, label: "Activity log" }
    ]
  },
  {
    heading: "Settings",
    links: [
      { path: START_PATH, label: "Get started" },
      { path: NOTIFICATIONS_PATH, label: TEXTS.notifications.title },
      { path: ACCESS_PATH, label: TEXTS.frame.access },
      { path: PASSWORD_PATH, label: TEXTS.frame.password }
    ]
  }
]

const CURRENT_ATTRIBUTE: Html = { html: ' aria-current="page"' }

const currentAttribute = (path: string, currentPath: string): Html =>
  path === currentPath ? CURRENT_ATTRIBUTE : nothing

const linkList = (links: ReadonlyArray<NavigationLink>, currentPath: string): Html => html`<ul>
${links.map(
  ({ path, label }) => html`<li><a href="${path}"${currentAttribute(path, currentPath)}>${label}</a></li>
`
)}</ul>
`

const groupList = (groups: ReadonlyArray<NavigationGroup>, currentPath: string): Html =>
  html`${groups.map(({ heading, links }) => html`${heading === undefined ? nothing : html`<h2>${heading}</h2>`}${linkList(links, currentPath)}`)}`

const signOutForm = ({ session, formToken }: SignedInVisit): Html => html`<form method="post" action="${SIGN_IN_PATH}">
<span class="account">${TEXTS.frame.signedInAs} ${session.email}</span>
${formTokenField(formToken)}<button name="${ACTION_FIELD}" value="sign_out">${TEXTS.frame.signOut}</button>
</form>
`

/** Shown from 960 pixels. */
export const sidebar = (visit: SignedInVisit): Html => html`<header class="side-menu">
<span class="product">${TEXTS.frame.product}</span>
<nav aria-label="${TEXTS.frame.navigation}">
${groupList([{ links: DAILY_LINKS }, ...FURTHER_GROUPS], visit.path)}</nav>
${signOutForm(visit)}</header>
`

/** Shown below 960 pixels instead of the sidebar. */
export const bottomBar = (
  visit: SignedInVisit
): Html => html`<nav class="bottom-menu" aria-label="${TEXTS.frame.navigation}">
${BAR_LINKS.map(({ path, label, icon: linkIcon }) => html`<a href="${path}"${currentAttribute(path, visit.path)}>${linkIcon}${label}</a>`)}
<details><summary>${MORE_ICON}${TEXTS.frame.more}</summary>
<div class="more-pages">
${groupList([{ links: DAILY_LINKS.filter((daily) => !BAR_LINKS.some(({ path }) => path === daily.path)) }, ...FURTHER_GROUPS], visit.path)}${signOutForm(visit)}</div></details>
</nav>
`
