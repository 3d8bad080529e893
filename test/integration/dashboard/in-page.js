// @ts-check
/**
 * What tests ask of a page from within; put into every page before its own scripts. Installs `inPage`.
 */
(() => {
  /** @param {string} selector @returns {HTMLElement[]} */
  const all = (selector) => [...document.querySelectorAll(selector)].filter((each) => each instanceof HTMLElement);
  /** @param {string} selector */
  const shown = (selector) => all(selector).filter((each) => each.checkVisibility());
  /** @param {Element} element */
  const describe = (element) => element.outerHTML.slice(0, 100);
  /** @param {Element} element @param {string} attribute */
  const idsIn = (element, attribute) => (element.getAttribute(attribute) ?? '').split(' ').filter((id) => id !== '');

  /** @param {Element} element */
  function nameOf(element) {
    const labelled = idsIn(element, 'aria-labelledby').map((id) => document.getElementById(id)?.textContent ?? '');
    const labels =
      element instanceof HTMLInputElement || element instanceof HTMLProgressElement ? element.labels : null;
    const texts = [
      element.getAttribute('aria-label') ?? '',
      ...labelled,
      ...[...(labels ?? [])].map((label) => label.textContent),
    ];
    return [...texts, element.textContent].map((text) => text?.trim() ?? '').find((text) => text !== '') ?? '';
  }

  /** Rules of structure: each gives the sentences that say where it is broken. @type {Record<string, () => string[]>} */
  const RULES = {
    'the page has a language and a title': () =>
      document.documentElement.lang !== '' && document.title !== '' ? [] : [document.title],
    'there is one h1': () => (shown('h1').length === 1 ? [] : shown('h1').map(describe)),
    'there is one main': () => (shown('main').length === 1 ? [] : shown('main').map(describe)),
    'no level of headings is skipped': () => {
      const levels = shown('h1, h2, h3, h4').map((heading) => Number(heading.tagName[1]));
      return levels.some((level, index) => level - (levels[index - 1] ?? 0) > 1) ? [levels.join(' ')] : [];
    },
    'whatever can be used has a name': () =>
      shown('a[href], button, input, progress, nav, section[aria-labelledby], [role="group"]')
        .filter((element) => nameOf(element) === '')
        .map(describe),
    'pictures have alternative text': () => shown('img:not([alt])').map(describe),
    'tables have captions': () =>
      shown('table')
        .filter((table) => table.querySelector('caption') === null)
        .map(describe),
    'headers of tables have a scope': () => shown('th:not([scope])').map(describe),
    'rows have a header': () =>
      shown('tbody > tr:not(.details)')
        .filter((row) => row.querySelector('th[scope="row"]') === null)
        .map(describe),
    'ids are unique': () => {
      const ids = all('[id]').map(({ id }) => id);
      return ids.filter((id, index) => ids.indexOf(id) !== index);
    },
    'references lead somewhere': () =>
      ['aria-labelledby', 'aria-controls', 'aria-describedby', 'for'].flatMap((attribute) =>
        all(`[${attribute}]`)
          .flatMap((element) => idsIn(element, attribute))
          .filter((id) => document.getElementById(id) === null),
      ),
    'the order of the keyboard is that of the page': () =>
      all('[tabindex]')
        .filter((each) => each.tabIndex > 0)
        .map(describe),
    'what scrolls can be scrolled by keyboard': () =>
      shown('.scroll')
        .filter((box) => box.scrollWidth > box.clientWidth && box.tabIndex !== 0)
        .map(describe),
    'the page does not scroll sideways': () => {
      const { scrollWidth, clientWidth } = document.documentElement;
      return scrollWidth > clientWidth ? [`${scrollWidth} > ${clientWidth}`] : [];
    },
    'text stands out from what is behind it, 4.5 to 1 at least': () => [...new Set(listPale())],
  };

  function listPale() {
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const pale = [];
    while (texts.nextNode() !== null) {
      const { parentElement: element, textContent: text } = texts.currentNode;
      if (element === null || !text?.trim() || !element.checkVisibility() || element.matches('script, style, noscript'))
        continue;
      const contrast = contrastOf(getComputedStyle(element).color, backgroundOf(element));
      if (contrast < 4.5) pale.push(`${contrast.toFixed(1)}: ${text.trim().slice(0, 40)}`);
    }
    return pale;
  }

  /** @param {string} color */
  const partsOf = (color) => (color.match(/[\d.]+/g) ?? []).map(Number);

  /** @param {Element} element */
  function backgroundOf(element) {
    for (let each = /** @type {Element | null} */ (element); each !== null; each = each.parentElement) {
      const { backgroundColor } = getComputedStyle(each);
      if ((partsOf(backgroundColor)[3] ?? 1) > 0) return backgroundColor;
    }
    return 'rgb(255, 255, 255)';
  }

  /** The relative luminance of a colour (WCAG 2). @param {string} color */
  function luminanceOf(color) {
    const [r = 0, g = 0, b = 0] = partsOf(color).map((value) => {
      const part = value / 255;
      return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  }

  /** @param {string} one @param {string} other */
  function contrastOf(one, other) {
    const [low = 0, high = 0] = [luminanceOf(one), luminanceOf(other)].sort((a, b) => a - b);
    return (high + 0.05) / (low + 0.05);
  }

  const seen = { objects: /** @type {string[]} */ ([]), said: /** @type {string[]} */ ([]) };

  /** @param {string[]} list @param {string | null | undefined} text */
  function note(list, text) {
    if (text && list.at(-1) !== text) list.push(text);
  }

  const inPage = {
    /** What is wrong with the page for people who do not see it, see it badly or use no mouse, as far as a machine can tell. */
    audit: () => Object.entries(RULES).flatMap(([rule, look]) => look().map((where) => `${rule}: ${where}`)),
    /** Takes note of all progress and announcements from now on. */
    watch: () => {
      const look = () => {
        note(seen.objects, document.querySelector('[data-part="objects-text"]')?.textContent);
        note(seen.said, document.getElementById('announcement')?.textContent);
      };
      new MutationObserver(look).observe(document.body, { subtree: true, childList: true, characterData: true });
    },
    seen: () => seen,
    /** Begins to walk by keyboard at the top. */
    leave: () => {
      if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
      scrollTo(0, 0);
    },
    focused: () => {
      const element = document.activeElement ?? document.body;
      const { outlineStyle, outlineWidth } = getComputedStyle(element);
      return { name: nameOf(element), id: element.id, outline: `${outlineStyle} ${outlineWidth}` };
    },
    /** The signs on Bull Board's visible buttons that would change something. */
    actions: () => {
      const signs = document.querySelectorAll(
        '[class*="jobActions-"] svg, [class*="queueActions-"] svg, button[aria-haspopup="menu"] .lucide-ellipsis-vertical',
      );
      const visible = [...signs].filter((sign) => sign.checkVisibility());
      return [...new Set(visible.map((sign) => sign.getAttribute('class') ?? ''))];
    },
  };
  Object.assign(globalThis, { inPage });
})();
