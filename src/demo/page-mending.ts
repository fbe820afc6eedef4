/**
 * What is added at the end of the local Slack's web page. Version 0.1.8 draws two things of Slack's mrkdwn otherwise
 * than Slack does: it does not know code fences, and it shows `&lt;` where Slack shows `<`. Code would be hard to read,
 * so what was drawn is drawn again. Its hint to type a command names one that exists here. What the app sends, and what
 * the local Slack keeps, is not touched.
 */
export const MENDING = String.raw`
<style>
  pre.mended {
    margin: 6px 0; padding: 8px 10px; border: 1px solid #e1e1e1; border-radius: 4px; background: #f8f8f8;
    font: 12px/1.5 ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace;
    white-space: pre-wrap; overflow-wrap: anywhere;
  }
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
    const pre = (html) => '<pre class="mended">' + asWritten(html) + '</pre>';
    const mend = (html) =>
      html
        .replace(/&amp;(amp|lt|gt);/g, '&$1;')
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
    new MutationObserver(mendAll).observe(document.documentElement, { childList: true, subtree: true });
    mendAll();
  })();
</script>
`;
