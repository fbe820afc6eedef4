/**
 * Style and script added at the end of the local Slack's web page. They fix where version 0.1.8 differs from Slack:
 * - It does not render code blocks and dates, and shows `&lt;` instead of `<`: the script renders text again.
 * - Links to messages use a host that does not exist: they are changed to this page.
 * - Menus keep the chosen option selected, and menus and section buttons have the wrong size and place: both are fixed.
 * - Forms do not send text that was prefilled and not changed: the script makes them send it.
 * - Forms show no option as chosen at first, and send none: the script chooses those that the app names.
 * - Buttons with an address do not open it: the script opens it in a new tab.
 * - The hint in the composer names an unknown command: it names `/deepsearch help` instead.
 * The messages themselves are not changed.
 */
export const PAGE_FIXES = String.raw`
<style>
  pre.fixed {
    margin: 6px 0; padding: 8px 10px; border: 1px solid #e1e1e1; border-radius: 4px; background: #f8f8f8;
    font: 12px/1.5 ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace;
    white-space: pre-wrap; overflow-wrap: anywhere;
  }
  .blocks a { color: #1264a3; }
  .home .bk-header:not(:first-child) { margin-top: 18px; }
  .bk-section:has(> .bk-button) { display: flex; justify-content: space-between; align-items: flex-start; gap: 16px; }
  .bk-section > .bk-button { flex: none; white-space: nowrap; }
  .bk-actions:has(> .bk-overflow) > .bk-button {
    max-width: 100%; overflow: hidden; text-overflow: ellipsis; white-space: nowrap;
  }
  .bk-overflow {
    flex: none; width: 34px; padding: 0; appearance: none; background: #fff; font-weight: 700; text-align: center;
    text-align-last: center; cursor: pointer;
  }
  .modal .bk-plain-input { max-width: none; }
</style>
<script>
  (() => {
    // In code, the characters for bold, italics and so on are literal.
    const undoFormatting = (html) =>
      html
        .replace(/<\/?strong>/g, '*')
        .replace(/<\/?em>/g, '_')
        .replace(/<\/?del>/g, '~')
        .replace(/<\/?code>/g, '\x60')
        .replace(/<blockquote[^>]*>/g, '&gt; ')
        .replace(/<\/?(?:a|blockquote)\b[^>]*>/g, '');
    const day = (date) => {
      const midnight = new Date().setHours(0, 0, 0, 0);
      if (date >= midnight && date < midnight + 86400000) return 'today';
      if (date < midnight && date >= midnight - 86400000) return 'yesterday';
      return date.toLocaleDateString([], { month: 'short', day: 'numeric', year: 'numeric' });
    };
    const formatDate = (seconds, format) => {
      const date = new Date(seconds * 1000);
      const time = date.toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' });
      return format.replaceAll('{time}', time).replaceAll('{date_short_pretty}', day(date));
    };
    const pre = (html) => '<pre class="fixed">' + undoFormatting(html) + '</pre>';
    const fix = (html) =>
      html
        .replace(/&amp;(amp|lt|gt);/g, '&$1;')
        .replace(/&lt;!date\^(\d+)\^([^|^]+)(?:\^[^|]*)?\|.*?&gt;/g, (_, seconds, format) => formatDate(seconds, format))
        .replace(/(?<=href=")https?:\/\/[\w-]+\.slack\.local(?=\/archives\/)/g, location.origin)
        .replace(/\x60{3}<br>([^]*?)(?:<br>)?\x60{3}(?:<br>){0,2}/g, (_, code) => pre(code))
        .replace(/\x60\x60<code>(.*?)<\/code>\x60\x60/g, (_, code) => pre(code))
        .replace(/<code>(.*?)<\/code>/g, (_, code) => '<code>' + undoFormatting(code) + '</code>')
        .replace(/(?:<br>)+(?=<pre class="fixed">)/g, '');
    const fixed = new WeakMap();
    const fixAll = () => {
      for (const rendered of document.querySelectorAll('span.mrkdwn')) {
        if (fixed.get(rendered) === rendered.innerHTML) continue;
        rendered.innerHTML = fix(rendered.innerHTML);
        fixed.set(rendered, rendered.innerHTML);
      }
      for (const group of document.querySelectorAll('.modal .bk-options')) chooseInitial(group);
      for (const composer of document.querySelectorAll('textarea.composer-input')) {
        if (composer.placeholder.endsWith('/echo hi')) {
          composer.placeholder = 'Try /deepsearch help';
        }
      }
    };
    // React keeps what a node was made from beside the node: the element of the block, as the app sent it.
    const elementOf = (node, isIt) => {
      const key = Object.keys(node).find((name) => name.startsWith('__reactFiber$'));
      let fiber = node[key];
      for (let level = 0; fiber && level < 6; level += 1) {
        const found = Object.values(fiber.memoizedProps ?? {}).find((value) => value && isIt(value));
        if (found !== undefined) return found;
        fiber = fiber.return;
      }
      return undefined;
    };
    const addressOf = (button) => elementOf(button, ({ type, url }) => type === 'button' && url)?.url;
    const chosen = new WeakSet();
    const chooseInitial = (group) => {
      const inputs = [...group.querySelectorAll('input')];
      if (inputs.length === 0 || chosen.has(group)) return;
      chosen.add(group);
      const element = elementOf(inputs[0], ({ type }) => type === 'radio_buttons' || type === 'checkboxes');
      const initial = [element?.initial_option, ...(element?.initial_options ?? [])].map((option) => option?.value);
      element?.options.forEach(({ value }, index) => {
        if (initial.includes(value) && inputs[index]?.checked === false) inputs[index].click();
      });
    };
    document.addEventListener('click', ({ target }) => {
      const button = target.closest('.bk-button');
      const address = button === null ? undefined : addressOf(button);
      if (/^https?:/.test(address ?? '')) window.open(address, '_blank', 'noopener');
    });
    document.addEventListener('change', ({ target }) => {
      if (target.matches('.bk-overflow')) setTimeout(() => { target.value = ''; });
    });
    document.addEventListener(
      'click',
      ({ target }) => {
        if (!target.closest('.modal-btn.primary')) return;
        for (const input of document.querySelectorAll('.modal .bk-plain-input')) {
          if (input.value === '') continue;
          // Without this, React ignores the value because it did not change.
          input._valueTracker?.setValue('');
          input.dispatchEvent(new Event('input', { bubbles: true }));
        }
      },
      true,
    );
    new MutationObserver(fixAll).observe(document.documentElement, { childList: true, subtree: true });
    fixAll();
  })();
</script>
`;
