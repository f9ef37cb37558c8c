/**
 * A null `callerApplication` is the host, who may change every subscription. An application may change only its own.
 */
export const canChangeWebhook = (callerApplication: string | null, ownerApplication: string | null): boolean =>
  callerApplication === null || callerApplication === ownerApplication
