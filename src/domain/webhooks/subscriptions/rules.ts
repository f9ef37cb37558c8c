/**
 * Whether who calls may change a subscription, by the applications they belong to: an application its own; the host (null), by a
 * token or a page of the console, every one.
 */
export const canChangeWebhook = (callerApplication: string | null, ownerApplication: string | null): boolean =>
  callerApplication === null || callerApplication === ownerApplication
