import { type Html, html, nothing } from "../../docs/html.ts"

export interface PeriodStep {
  readonly url: string
  /** The name of the period, such as `Oct 2026`. */
  readonly label: string
}

const stepLink = ({ url, label }: PeriodStep, arrow: string): Html =>
  html`<a class="button step" href="${url}" aria-label="${label}">${arrow}</a>`

/** The period that a page shows, between links to the one before and the one after. */
export const periodSteps = (previous: PeriodStep, label: string, next: PeriodStep, links: Html = nothing): Html =>
  html`<nav class="period noprint" aria-label="Period">${stepLink(previous, "‹")} <strong>${label}</strong> ${stepLink(next, "›")} ${links}</nav>
`
