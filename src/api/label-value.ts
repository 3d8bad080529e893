/** Whether Kubernetes takes a text as the value of a label: at most 63 characters, alphanumeric at both ends; the empty text is one too. */
export function isLabelValue(text: string): boolean {
  return text.length <= 63 && /^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/.test(text);
}
