import type { Response } from 'express';

/** Styles in the place of what the page has inline, and the buttons that it must not show; see public/board.css. */
const STYLES = '<link rel="stylesheet" href="/assets/board.css">';
/** Elements that load something from elsewhere. */
const EXTERNAL = /<link[^>]+href="https?:[^>]*>/g;
/** What is shown until its scripts run: full of inline styles. */
const PLACEHOLDER = /<div id="root">[\s\S]*?<\/style>\s*<\/div>/;

/** Takes out of Bull Board's page what our Content-Security-Policy refuses: fonts of another server, and inline styles. */
export function stripPage(response: Response): void {
  const { send } = response;
  response.send = (body: unknown) => {
    const isPage = typeof body === 'string' && body.includes('<div id="root">');
    return send.call(response, isPage ? stripBoardPage(body) : body);
  };
}

/** The page without external and inline parts. */
export function stripBoardPage(page: string): string {
  return page
    .replace(EXTERNAL, '')
    .replace(PLACEHOLDER, '<div id="root">Loading…</div>')
    .replace('</head>', `${STYLES}</head>`);
}
