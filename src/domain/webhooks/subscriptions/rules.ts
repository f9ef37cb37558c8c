/** A null `callerApplication` is the host. */
export const canChangeWebhook = (callerApplication: string | null, ownerApplication: string | null): boolean =>
  callerApplication === null || callerApplication === ownerApplication
