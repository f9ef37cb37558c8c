import { Context } from "effect"

// Settings of the installation that operations need. The process provides them.

export type DeploymentName = "international" | "regional"

/** The two deployments are in the specification, What the service does. */
export const Deployment = Context.Reference<DeploymentName>("latchkey/platform/Deployment", {
  defaultValue: () => "international"
})

/** An http or https URL without a final slash. */
export const PublicUrl = Context.Reference<string>("latchkey/platform/PublicUrl", {
  defaultValue: () => "http://127.0.0.1:8080"
})

/** Whole days after check-out. */
export const IdentityImageRetentionDays = Context.Reference<number>("latchkey/platform/IdentityImageRetentionDays", {
  defaultValue: () => 30
})

/** Whether MCP users can connect with the public client. */
export const PublicClientEnabled = Context.Reference<boolean>("latchkey/platform/PublicClientEnabled", {
  defaultValue: () => true
})

/** Whole days. Undefined: no deletion. */
export interface RetentionDays {
  /** After the message was sent or received. */
  readonly messages: number | undefined
  /** After the message with the image was sent or received. */
  readonly images: number | undefined
  /** After the last check-out of an order, its guest is erased. */
  readonly orders: number | undefined
}

export const RetentionDays = Context.Reference<RetentionDays>("latchkey/platform/RetentionDays", {
  defaultValue: () => ({ messages: undefined, images: undefined, orders: undefined })
})
