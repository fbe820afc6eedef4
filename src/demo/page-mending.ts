/**
 * What is added at the end of the local Slack's web page, where version 0.1.8 does otherwise than Slack:
 * - It knows neither code fences nor dates, and it shows `&lt;` where Slack shows `<`: what was drawn is drawn again.
 * - It names an address of its own that nobody serves: links to messages lead to this page.
 * - Its menus stay at what was chosen, wide and below their button, as do buttons of sections: both get their places.
 * - Its forms send nothing where the text they were opened with was left as it is: it is sent, as it stands there.
 * - Its hint to type a command names one that exists here.
 * What the app sends, and what the local Slack keeps of it, is not touched.
 */
export const MENDING = String.raw`
<style>
  pre.mended {
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
    // In code, the marks of bold, italics and so on are characters like any other.
    const asWritten = (html) =>
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
    const written = (seconds, format) => {
      const date = new Date(seconds * 1000);
      const time = date.toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' });
      return format.replaceAll('{time}', time).replaceAll('{date_short_pretty}', day(date));
    };
    const pre = (html) => '<pre class="mended">' + asWritten(html) + '</pre>';
    const mend = (html) =>
      html
        .replace(/&amp;(amp|lt|gt);/g, '&$1;')
        .replace(/&lt;!date\^(\d+)\^([^|^]+)(?:\^[^|]*)?\|.*?&gt;/g, (_, seconds, format) => written(seconds, format))
        .replace(/(?<=href=")https?:\/\/[\w-]+\.slack\.local(?=\/archives\/)/g, location.origin)
        .replace(/\x60{3}<br>([^]*?)(?:<br>)?\x60{3}(?:<br>){0,2}/g, (_, code) => pre(code))
        .replace(/\x60\x60<code>(.*?)<\/code>\x60\x60/g, (_, code) => pre(code))
        .replace(/<code>(.*?)<\/code>/g, (_, code) => '<code>' + asWritten(code) + '</code>')
        .replace(/(?:<br>)+(?=<pre class="mended">)/g, '');
    const mended = new WeakMap();
    const mendAll = () => {
      for (const drawn of document.querySelectorAll('span.mrkdwn')) {
        if (mended.get(drawn) === drawn.innerHTML) continue;
        drawn.innerHTML = mend(drawn.innerHTML);
        mended.set(drawn, drawn.innerHTML);
      }
      for (const composer of document.querySelectorAll('textarea.composer-input')) {
        if (composer.placeholder.endsWith('/echo hi')) {
          composer.placeholder = 'Try /deepsearch help';
        }
      }
    };
    document.addEventListener('change', ({ target }) => {
      if (target.matches('.bk-overflow')) setTimeout(() => { target.value = ''; });
    });
    document.addEventListener(
      'click',
      ({ target }) => {
        if (!target.closest('.modal-btn.primary')) return;
        for (const input of document.querySelectorAll('.modal .bk-plain-input')) {
          if (input.value === '') continue;
          // Without this React takes the value for one that it has seen.
          input._valueTracker?.setValue('');
          input.dispatchEvent(new Event('input', { bubbles: true }));
        }
      },
      true,
    );
    new MutationObserver(mendAll).observe(document.documentElement, { childList: true, subtree: true });
    mendAll();
  })();
</script>
`;
